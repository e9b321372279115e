-- Where people stand with their subscriptions.
create or replace function sluice.subscription_states(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  state text,
  split text,
  people bigint,
  share double precision,
  told bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(subscription_states.since, subscription_states.zone);
  to_instant constant timestamptz := sluice.period_end(subscription_states.until, subscription_states.zone);
begin
  perform sluice.refuse_split('subscription_states', subscription_states.split_by);

  return query
  with people as (
    select
      case
        when subscription.profile_id is null then 'never_subscribed'
        else coalesce(subscription.state, 'unknown')
      end as name,
      subscription.profile_id is not null as is_told
    from sluice.profiles as profile
    join sluice.reported_profiles as reported on reported.profile_id = profile.profile_id
    left join sluice.profile_subscriptions as subscription
      on subscription.profile_id = profile.profile_id
    where profile.first_event_at >= from_instant
      and profile.first_event_at < to_instant
  )
  select
    state.name,
    null::text,
    state.people,
    state.share,
    sluice.shown_count(state.told, subscription_states.min_group)
  from (
    select
      people.name,
      count(*) as people,
      -- Of all people, those of the states that are too small included.
      count(*) / (sum(count(*)) over ())::double precision as share,
      count(*) filter (where people.is_told) as told
    from people
    group by people.name
  ) as state
  where sluice.shown_count(state.people, subscription_states.min_group) is not null
  order by state.name collate "C";
end
$$;

revoke execute on function sluice.subscription_states(date, date, text, text, integer) from public;

comment on function sluice.subscription_states(date, date, text, text, integer) is
  'One row per subscription state that somebody is in now: people first seen in the days from since (inclusive) until (exclusive) in the time zone, null days open; their share of those people (0 to 1); and told, those of them of whom the vendor said anything (the others count as never_subscribed). State unknown: nobody said whether it renewed. With min_group, states of 1 to min_group - 1 people are left out and told is null where it is so small. Grain: state, split.';
