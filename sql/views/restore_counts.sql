-- Who wanted earlier purchases back, and got them.
create or replace function sluice.restore_counts(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  placement_id text,
  platform text,
  split text,
  restores bigint,
  people bigint,
  succeeded bigint,
  with_access bigint,
  without_access bigint,
  failed bigint,
  unfinished bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(restore_counts.since, restore_counts.zone);
  to_instant constant timestamptz := sluice.period_end(restore_counts.until, restore_counts.zone);
begin
  perform sluice.refuse_split('restore_counts', restore_counts.split_by);

  return query
  select
    restore.placement_id,
    restore.platform,
    null::text,
    count(*),
    count(distinct restore.profile_id),
    count(*) filter (where restore.outcome = 'success'),
    count(*) filter (where restore.outcome = 'success' and restore.has_access),
    count(*) filter (where restore.outcome = 'success' and not restore.has_access),
    count(*) filter (where restore.outcome = 'failed'),
    count(*) filter (where restore.outcome = 'started')
  from sluice.restores as restore
  join sluice.reported_profiles as reported on reported.profile_id = restore.profile_id
  where coalesce(restore.started_at, restore.finished_at) >= from_instant
    and coalesce(restore.started_at, restore.finished_at) < to_instant
  group by restore.placement_id, restore.platform
  having sluice.shown_count(count(distinct restore.profile_id), restore_counts.min_group) is not null
  order by restore.placement_id, restore.platform;
end
$$;

revoke execute on function sluice.restore_counts(date, date, text, text, integer) from public;

comment on function sluice.restore_counts(date, date, text, text, integer) is
  'One row per placement and platform (null where unknown): restores, different people who tried, restores that succeeded, with and without an active access level in the restored profile where one came along, that failed, and that nothing tells the end of, in the days from since (inclusive) until (exclusive) in the time zone; null days are open. With min_group, rows of 1 to min_group - 1 people are left out. Grain: placement_id, platform, split.';
