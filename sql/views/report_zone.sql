-- Whose days reports count where they are not told.
create or replace function sluice.report_zone()
returns text
language sql
stable
set search_path = pg_catalog
begin atomic
  -- The canonical text is on one line, its keys in order: no key of a pipeline comes after this one.
  select substring(generation.text from '"time_zone": "([^"\\]+)"}$')
  from sluice.generations as generation
  where generation.is_current;
end;

revoke execute on function sluice.report_zone() from public;

comment on function sluice.report_zone() is
  'The time zone of the pipeline file in force, as it is named there; null where it names none, or none is in force.';
