-- Where a report's days begin: midnight of the first day in the zone.
create or replace function sluice.period_start(since date, zone text)
returns timestamptz
language plpgsql
stable
parallel safe
set search_path = pg_catalog
as $$
begin
  if period_start.since is null then
    return '-infinity';
  end if;
  return period_start.since::timestamp
    at time zone coalesce(period_start.zone, sluice.report_zone(), 'UTC');
end
$$;

comment on function sluice.period_start(date, text) is
  'The instant at which a day begins in a time zone, by default the pipeline file''s, else UTC; -infinity for a null day, which is open.';
