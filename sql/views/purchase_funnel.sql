-- From paywall to purchase: how many people got how far at each placement, and what it brought.
create or replace function sluice.purchase_funnel(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  placement_id text,
  audience text,
  variation_id text,
  split text,
  shown bigint,
  selected bigint,
  started bigint,
  succeeded bigint,
  cancelled bigint,
  failed bigint,
  pending bigint,
  conversion double precision,
  purchases bigint,
  revenue_local text,
  revenue_usd double precision,
  usd_coverage double precision
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(purchase_funnel.since, purchase_funnel.zone);
  to_instant constant timestamptz := sluice.period_end(purchase_funnel.until, purchase_funnel.zone);
begin
  perform sluice.refuse_split('purchase_funnel', purchase_funnel.split_by);

  return query
  with attempts as (
    select
      purchase.profile_id,
      purchase.purchase_id,
      purchase.placement_id as place,
      purchase.audience_name as audience,
      purchase.variation_id as variation,
      purchase.outcome,
      purchase.source,
      purchase.price,
      purchase.price_currency,
      purchase.total_usd
    from sluice.purchases as purchase
    join sluice.reported_profiles as reported on reported.profile_id = purchase.profile_id
    where coalesce(purchase.started_at, purchase.finished_at, purchase.recorded_at) >= from_instant
      and coalesce(purchase.started_at, purchase.finished_at, purchase.recorded_at) < to_instant
      -- Nobody paid for what was bought in a store's sandbox.
      and not purchase.is_sandbox
  ),
  steps as (
    select
      run.placement_id as place,
      run.audience_name as audience,
      run.variation_id as variation,
      run.profile_id,
      'shown' as step
    from sluice.flow_runs as run
    join sluice.reported_profiles as reported on reported.profile_id = run.profile_id
    where run.started_at >= from_instant and run.started_at < to_instant
    union all
    select
      selection.placement_id,
      selection.audience_name,
      selection.variation_id,
      selection.profile_id,
      'selected'
    from sluice.product_selections as selection
    join sluice.reported_profiles as reported on reported.profile_id = selection.profile_id
    where selection.first_at >= from_instant and selection.first_at < to_instant
    union all
    select
      attempts.place,
      attempts.audience,
      attempts.variation,
      attempts.profile_id,
      step.name
    from attempts
    -- Whatever came of it, it was started.
    cross join lateral (values ('started'), (nullif(attempts.outcome, 'started'))) as step (name)
  ),
  people as (
    select
      steps.place,
      steps.audience,
      steps.variation,
      count(distinct steps.profile_id) filter (where steps.step = 'shown') as shown,
      count(distinct steps.profile_id) filter (where steps.step = 'selected') as selected,
      count(distinct steps.profile_id) filter (where steps.step = 'started') as started,
      count(distinct steps.profile_id) filter (where steps.step = 'success') as succeeded,
      count(distinct steps.profile_id) filter (where steps.step = 'cancelled') as cancelled,
      count(distinct steps.profile_id) filter (where steps.step = 'failed') as failed,
      count(distinct steps.profile_id) filter (where steps.step = 'pending') as pending
    from steps
    group by steps.place, steps.audience, steps.variation
  ),
  bought as (
    select
      attempts.place,
      attempts.audience,
      attempts.variation,
      count(*) as purchases,
      count(attempts.total_usd) as with_usd,
      round(sum(attempts.total_usd)::numeric, 2)::double precision as usd
    from attempts
    where attempts.outcome = 'success'
    group by attempts.place, attempts.audience, attempts.variation
  ),
  paid as (
    -- What the vendor's feed says was paid; the app's price where no record tells of the purchase.
    select
      attempts.place,
      attempts.audience,
      attempts.variation,
      transaction.currency,
      transaction.revenue_local - coalesce(transaction.refunded_local, 0) as amount
    from attempts
    join sluice.store_transactions as transaction
      on transaction.profile_id = attempts.profile_id
      and transaction.purchase_id = attempts.purchase_id
    where attempts.outcome = 'success'
    union all
    select
      attempts.place,
      attempts.audience,
      attempts.variation,
      attempts.price_currency,
      attempts.price
    from attempts
    where attempts.outcome = 'success' and attempts.source = 'app'
  ),
  by_currency as (
    select
      paid.place,
      paid.audience,
      paid.variation,
      paid.currency,
      round(sum(paid.amount)::numeric, 2) as amount
    from paid
    where paid.currency is not null and paid.amount is not null
    group by paid.place, paid.audience, paid.variation, paid.currency
  ),
  currencies as (
    select
      by_currency.place,
      by_currency.audience,
      by_currency.variation,
      jsonb_object_agg(by_currency.currency, by_currency.amount)::text as amounts
    from by_currency
    group by by_currency.place, by_currency.audience, by_currency.variation
  )
  select
    people.place,
    people.audience,
    people.variation,
    null::text,
    sluice.shown_count(people.shown, purchase_funnel.min_group),
    sluice.shown_count(people.selected, purchase_funnel.min_group),
    sluice.shown_count(people.started, purchase_funnel.min_group),
    money.buyers,
    sluice.shown_count(people.cancelled, purchase_funnel.min_group),
    sluice.shown_count(people.failed, purchase_funnel.min_group),
    sluice.shown_count(people.pending, purchase_funnel.min_group),
    money.buyers
      / nullif(sluice.shown_count(people.shown, purchase_funnel.min_group), 0)::double precision,
    -- What few people paid is theirs.
    case when money.buyers is not null then coalesce(bought.purchases, 0) end,
    case when money.buyers is not null then currencies.amounts end,
    case when money.buyers is not null then bought.usd end,
    case
      when money.buyers is not null
        then bought.with_usd / nullif(bought.purchases, 0)::double precision
    end
  from people
  cross join lateral (
    select sluice.shown_count(people.succeeded, purchase_funnel.min_group) as buyers
  ) as money
  left join bought
    on bought.place is not distinct from people.place
    and bought.audience is not distinct from people.audience
    and bought.variation is not distinct from people.variation
  left join currencies
    on currencies.place is not distinct from people.place
    and currencies.audience is not distinct from people.audience
    and currencies.variation is not distinct from people.variation
  where sluice.shown_count(
    greatest(people.shown, people.selected, people.started), purchase_funnel.min_group
  ) is not null
  order by people.place, people.audience, people.variation;
end
$$;

revoke execute on function sluice.purchase_funnel(date, date, text, text, integer) from public;

comment on function sluice.purchase_funnel(date, date, text, text, integer) is
  'One row per placement, audience and variation (null where unknown): people who were shown a flow there, selected a product, started to buy (whatever came of it), bought, cancelled, failed, wait (pending), each in the days from since (inclusive) until (exclusive) in the time zone; null days are open; conversion is bought / shown, 0 to 1 (above where people bought who were shown nothing in the period). purchases counts purchases; revenue_local is JSON of amounts by currency, what was paid less refunds with renewals, or the app''s price where no record tells (a trial has one too); revenue_usd is what records say, for the share usd_coverage of the purchases. Without the stores'' sandboxes. With min_group, rows in which no step has min_group people are left out, and counts of 1 to min_group - 1 people and what so few bought are null. Grain: placement_id, audience, variation_id, split.';
