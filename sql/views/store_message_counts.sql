-- What became of the store's messages.
create or replace function sluice.store_message_counts(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  message_type text,
  split text,
  people bigint,
  queued bigint,
  shown bigint,
  ended bigint,
  pending bigint,
  failed_attempts bigint,
  last_errors text
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(store_message_counts.since, store_message_counts.zone);
  to_instant constant timestamptz := sluice.period_end(store_message_counts.until, store_message_counts.zone);
begin
  perform sluice.refuse_split('store_message_counts', store_message_counts.split_by);

  return query
  with counted as (
    select
      message.message_type as name,
      message.profile_id,
      message.shown_at,
      message.ended_at,
      message.is_pending,
      message.failed_attempts as attempts,
      message.last_error
    from sluice.store_messages as message
    join sluice.reported_profiles as reported on reported.profile_id = message.profile_id
    where coalesce(message.queued_at, message.last_failed_at, message.shown_at) >= from_instant
      and coalesce(message.queued_at, message.last_failed_at, message.shown_at) < to_instant
  )
  select
    counted.name,
    null::text,
    count(distinct counted.profile_id),
    count(*),
    count(counted.shown_at),
    count(counted.ended_at),
    count(*) filter (where counted.is_pending),
    sum(counted.attempts)::bigint,
    string_agg(distinct counted.last_error, ', ' order by counted.last_error)
  from counted
  group by counted.name
  having
    sluice.shown_count(count(distinct counted.profile_id), store_message_counts.min_group) is not null
  order by counted.name collate "C";
end
$$;

revoke execute on function sluice.store_message_counts(date, date, text, text, integer) from public;

comment on function sluice.store_message_counts(date, date, text, text, integer) is
  'One row per type of store message: people who had it, how often it was queued, shown, ended unshown with its app session, and waits now; attempts at showing it that failed, and the names of the last failures (null when none is named). Counts messages queued in the days from since (inclusive) until (exclusive) in the time zone; null days are open. With min_group, rows of 1 to min_group - 1 people are left out. Grain: message_type, split.';
