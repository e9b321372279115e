-- Paywalls without their products: what could not be loaded, and whether the app tried again.
create or replace function sluice.product_loading_failures(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  placement_id text,
  kind text,
  product_id text,
  code_name text,
  code text,
  platform text,
  split text,
  failures bigint,
  people bigint,
  retried bigint,
  not_retried bigint,
  retry_unknown bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(product_loading_failures.since, product_loading_failures.zone);
  to_instant constant timestamptz := sluice.period_end(product_loading_failures.until, product_loading_failures.zone);
begin
  perform sluice.refuse_split('product_loading_failures', product_loading_failures.split_by);

  return query
  select
    error.placement_id,
    error.kind,
    product.id,
    error.code_name,
    error.code,
    error.platform,
    null::text,
    count(*),
    count(distinct error.profile_id),
    count(*) filter (where error.is_retried),
    count(*) filter (where not error.is_retried),
    count(*) filter (where error.is_retried is null)
  from sluice.flow_errors as error
  join sluice.reported_profiles as reported on reported.profile_id = error.profile_id
  left join lateral unnest(error.failed_product_ids) as product (id) on true
  where error.kind in ('product_loading_failed', 'products_partially_loaded')
    and error.occurred_at >= from_instant
    and error.occurred_at < to_instant
  group by
    error.placement_id,
    error.kind,
    product.id,
    error.code_name,
    error.code,
    error.platform
  having
    sluice.shown_count(count(distinct error.profile_id), product_loading_failures.min_group)
      is not null
  order by
    count(*) desc,
    error.placement_id,
    error.kind,
    product.id,
    error.code_name,
    error.code,
    error.platform;
end
$$;

revoke execute on function sluice.product_loading_failures(date, date, text, text, integer) from public;

comment on function sluice.product_loading_failures(date, date, text, text, integer) is
  'One row per placement, kind (all products or some of them), product that is missing (null where none is named), error and platform: failures, different people, and failures after which the app tried again, did not, or nothing tells, in the days from since (inclusive) until (exclusive) in the time zone; null days are open. A failure of several products is in several rows. With min_group, rows of 1 to min_group - 1 people are left out. Grain: placement_id, kind, product_id, code_name, code, platform, split.';
