-- Who counts in reports: everyone whose first event is not ahead, but not the members of the segment that the pipeline excludes.
create or replace view sluice.reported_profiles as
select profile.profile_id
from sluice.profiles as profile
where profile.events > 0 and not exists (
  select
  from sluice.segment_members as member
  join sluice.generations as generation
    on generation.is_current and generation.reports_exclude = member.segment
  where member.profile_id = profile.profile_id
);

comment on view sluice.reported_profiles is
  'One row per profile that reports count. Grain: profile_id.';
comment on column sluice.reported_profiles.profile_id is
  'The profile; never null.';
