-- Who is set aside with all their events, and since when.
create or replace function sluice.quarantine(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  profile_id text,
  reason text,
  sqlstate text,
  quarantined_at timestamptz
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
begin
  perform sluice.refuse_split('quarantine', quarantine.split_by);
  if quarantine.min_group > 0 then
    raise exception 'quarantine lists profiles, not groups of them'
      using errcode = 'feature_not_supported', hint = 'Leave min_group 0.';
  end if;

  return query
  select
    quarantined.profile_id,
    quarantined.reason,
    quarantined.sqlstate,
    quarantined.quarantined_at
  from sluice.quarantined_profiles as quarantined
  where
    quarantined.quarantined_at >= sluice.period_start(quarantine.since, quarantine.zone)
    and quarantined.quarantined_at < sluice.period_end(quarantine.until, quarantine.zone)
  order by quarantined.profile_id;
end
$$;

revoke execute on function sluice.quarantine(date, date, text, text, integer) from public;

comment on function sluice.quarantine(date, date, text, text, integer) is
  'One row per id that was set aside in the days from since (inclusive) until (exclusive) in the time zone, null days open, with the reason and the SQLSTATE of a refusal. What is kept of an unreadable one stays as it is until it is erased: nothing can expire in it or be dropped from it. Grain: profile_id.';
