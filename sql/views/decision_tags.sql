-- What each flow's tags would show.
create or replace view sluice.decision_tags as
select
  decision.profile_id,
  decision.placement_id,
  tag.name,
  tag.value
from sluice.placement_decisions as decision
cross join lateral json_each_text(decision.tags::json) as tag (name, value);

comment on view sluice.decision_tags is
  'One row per tag of a placement decision. Grain: profile_id, placement_id, name.';
comment on column sluice.decision_tags.profile_id is
  'The profile that is decided for.';
comment on column sluice.decision_tags.placement_id is
  'The placement in the pipeline file.';
comment on column sluice.decision_tags.name is
  'The tag''s name in the flow.';
comment on column sluice.decision_tags.value is
  'The text that takes the tag''s place.';
