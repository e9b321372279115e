-- Where a report's days end: midnight of the first day that no longer counts, in the zone.
create or replace function sluice.period_end(until date, zone text)
returns timestamptz
language plpgsql
stable
parallel safe
set search_path = pg_catalog
as $$
begin
  if period_end.until is null then
    return 'infinity';
  end if;
  return period_end.until::timestamp
    at time zone coalesce(period_end.zone, sluice.report_zone(), 'UTC');
end
$$;

comment on function sluice.period_end(date, text) is
  'The instant at which a day begins in a time zone, by default the pipeline file''s, else UTC; infinity for a null day, which is open.';
