-- What goes wrong: errors that flows and paywalls reported, by name and version of the app.
create or replace function sluice.error_counts(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  code_name text,
  code text,
  kind text,
  platform text,
  app_version text,
  split text,
  errors bigint,
  people bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(error_counts.since, error_counts.zone);
  to_instant constant timestamptz := sluice.period_end(error_counts.until, error_counts.zone);
begin
  perform sluice.refuse_split('error_counts', error_counts.split_by);

  return query
  select
    error.code_name,
    error.code,
    error.kind,
    error.platform,
    error.app_version,
    null::text,
    count(*),
    count(distinct error.profile_id)
  from sluice.flow_errors as error
  join sluice.reported_profiles as reported on reported.profile_id = error.profile_id
  where error.occurred_at >= from_instant and error.occurred_at < to_instant
  group by error.code_name, error.code, error.kind, error.platform, error.app_version
  having sluice.shown_count(count(distinct error.profile_id), error_counts.min_group) is not null
  order by count(*) desc, error.code_name, error.code, error.kind, error.platform, error.app_version;
end
$$;

revoke execute on function sluice.error_counts(date, date, text, text, integer) from public;

comment on function sluice.error_counts(date, date, text, text, integer) is
  'One row per error code, kind of event, platform and version of the app (null where unknown): errors, and different people who met them, in the days from since (inclusive) until (exclusive) in the time zone; null days are open. With min_group, rows of 1 to min_group - 1 people are left out. Grain: code_name, code, kind, platform, app_version, split.';
