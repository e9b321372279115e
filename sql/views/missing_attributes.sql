-- Why profiles lack an attribute.
create or replace view sluice.missing_attributes as
select
  profile.profile_id,
  missing.key,
  missing.reason,
  missing.since,
  missing.run_id
from sluice.profiles as profile
cross join lateral unnest(
  profile.missing_keys, profile.missing_reasons, profile.missing_since, profile.missing_run_ids
) as missing (key, reason, since, run_id);

comment on view sluice.missing_attributes is
  'One row per declared attribute that a profile lacks. Grain: profile_id, key.';
comment on column sluice.missing_attributes.profile_id is
  'The profile that lacks it.';
comment on column sluice.missing_attributes.key is
  'The attribute''s name in the pipeline file.';
comment on column sluice.missing_attributes.reason is
  'Why there is no value, e.g. not_started, not_completed, not_asked, cleared, unreadable, implausible.';
comment on column sluice.missing_attributes.since is
  'Since when it is missing, in event time.';
comment on column sluice.missing_attributes.run_id is
  'The run of the latest answer that was read; null when there was none.';
