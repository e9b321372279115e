-- What one person sees next, for the app's server, by any of their ids.
create or replace function sluice.next_placement(profile_id text)
returns json
language sql
stable
parallel safe
security definer
begin atomic
  select json_build_object(
    'placement', profile.next_placement_id,
    'audience', decision.audience,
    'flow', decision.flow_id,
    'variation', decision.variation_id,
    'variation_source', decision.variation_source,
    'tags', coalesce(decision.tags, '{}')::json,
    'store_messages', to_json(profile.next_store_messages),
    'because', profile.next_because,
    'as_of', (
      select max(job.as_of)
      from sluice.job_runs as job
      where job.job_id >= coalesce(
        (select max(rewind.job_id) from sluice.job_runs as rewind where rewind.is_rewind), 0)
    ),
    'review_at', nullif(profile.next_review_at, '-infinity'),
    'stale',
      coalesce(profile.next_review_at <= now(), false)
      or coalesce(state.cursor < profile.profile_id, false)
  )
  from sluice.profiles as profile
  left join sluice.placement_decisions as decision
    on decision.profile_id = profile.profile_id
    and decision.placement_id = profile.next_placement_id
  left join sluice.shard_state as state
    on state.shard = profile.shard
  where profile.profile_id = coalesce(
    (
      select alias.canonical_id
      from sluice.profile_aliases as alias
      where alias.profile_id = next_placement.profile_id
    ),
    next_placement.profile_id
  );
end;

revoke execute on function sluice.next_placement(text) from public;

comment on function sluice.next_placement(text) is
  'The next placement of a person, by any of their ids, as a JSON object; null for an unknown id. stale is true when review_at has passed or the profile waits to be derived by a newer pipeline file.';
