-- Whose days reports count, for whoever may call reports and read no tables.
create or replace function sluice.report_zone()
returns text
language sql
stable
security definer
set search_path = pg_catalog
begin atomic
  select substring(generation.text from '(?n)^time_zone: *"?([^"\s]+)"?$')
  from sluice.generations as generation
  where generation.is_current;
end;

revoke execute on function sluice.report_zone() from public;

comment on function sluice.report_zone() is
  'The time zone of the pipeline file in force, as it is named there; null where it names none, or none is in force.';
