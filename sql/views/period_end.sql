-- Where a report's days end: midnight of the first day that no longer counts, in the zone.
create or replace function sluice.period_end(until date, zone text)
returns timestamptz
language sql
immutable
parallel safe
begin atomic
  select coalesce(period_end.until::timestamp at time zone period_end.zone, 'infinity');
end;

comment on function sluice.period_end(date, text) is
  'The instant at which a day begins in a time zone; infinity for a null day, which is open.';
