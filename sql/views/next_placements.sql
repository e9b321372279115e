-- What every profile sees next.
create or replace view sluice.next_placements as
select
  profile.profile_id,
  profile.next_placement_id as placement_id,
  decision.audience,
  decision.audience_version_id,
  decision.flow_id,
  decision.variation_id,
  decision.variation_source,
  decision.variation_reason,
  decision.tags,
  profile.next_store_messages as store_messages,
  profile.next_because as because,
  profile.next_review_at as review_at
from sluice.profiles as profile
left join sluice.placement_decisions as decision
  on decision.profile_id = profile.profile_id
  and decision.placement_id = profile.next_placement_id;

comment on view sluice.next_placements is
  'One row per profile: its next placement, as of the last job. Grain: profile_id.';
comment on column sluice.next_placements.profile_id is
  'The profile that is decided for.';
comment on column sluice.next_placements.placement_id is
  'The placement to show next; null when nothing is to be shown.';
comment on column sluice.next_placements.audience is
  'The winning audience in that placement; null when the pipeline file does not declare the placement.';
comment on column sluice.next_placements.audience_version_id is
  'The vendor''s id of the audience''s version; null when not declared.';
comment on column sluice.next_placements.flow_id is
  'The vendor''s flow id; null when unknown, and for people of a holdout arm, who are shown nothing.';
comment on column sluice.next_placements.variation_id is
  'The variation; null when there is none or it is unknown.';
comment on column sluice.next_placements.variation_source is
  'observed, forced or predicted; null when the variation is unknown.';
comment on column sluice.next_placements.variation_reason is
  'Why there is no variation; null where there is one.';
comment on column sluice.next_placements.tags is
  'JSON object of tag names and values; null when the placement is not declared.';
comment on column sluice.next_placements.store_messages is
  'Store messages to show, in order; empty when none.';
comment on column sluice.next_placements.because is
  'The words of the rule that decided.';
comment on column sluice.next_placements.review_at is
  'The next instant at which time alone could change this row; null when none.';
