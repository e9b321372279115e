-- How many people a report shows of a group: nothing where it is too small. Read by: the reports.
create or replace function sluice.shown_count(people bigint, min_group integer)
returns bigint
language sql
immutable
parallel safe
begin atomic
  select case
    when shown_count.people = 0 or shown_count.people >= coalesce(shown_count.min_group, 0)
      then shown_count.people
  end;
end;

revoke execute on function sluice.shown_count(bigint, integer) from public;

comment on function sluice.shown_count(bigint, integer) is
  'The number of people, or null where it is 1 to min_group - 1: so few could be recognised.';
