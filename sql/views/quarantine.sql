-- Who is set aside with all their events, and since when.
create or replace function sluice.quarantine(
  since date default null,
  until date default null,
  zone text default 'UTC',
  split_by text default null
)
returns table (
  profile_id text,
  reason text,
  sqlstate text,
  quarantined_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
  if quarantine.split_by is not null then
    raise exception 'quarantine cannot be split'
      using errcode = 'feature_not_supported', hint = 'Leave split_by null.';
  end if;

  return query
  select
    quarantined.profile_id,
    quarantined.reason,
    quarantined.sqlstate,
    quarantined.quarantined_at
  from sluice.quarantined_profiles as quarantined
  where
    quarantined.quarantined_at
      >= coalesce(quarantine.since::timestamp at time zone quarantine.zone, '-infinity')
    and quarantined.quarantined_at
      < coalesce(quarantine.until::timestamp at time zone quarantine.zone, 'infinity')
  order by quarantined.profile_id;
end
$$;

comment on function sluice.quarantine(date, date, text, text) is
  'One row per id that was set aside in the days from since (inclusive) until (exclusive) in the time zone, null days open, with the reason and the SQLSTATE of a refusal. Grain: profile_id.';
