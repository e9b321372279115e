-- Where a report's days begin: midnight of the first day in the zone.
create or replace function sluice.period_start(since date, zone text)
returns timestamptz
language sql
immutable
parallel safe
begin atomic
  select coalesce(period_start.since::timestamp at time zone period_start.zone, '-infinity');
end;

comment on function sluice.period_start(date, text) is
  'The instant at which a day begins in a time zone; -infinity for a null day, which is open.';
