-- Every chosen option of every run.
create or replace view sluice.answer_choices as
select
  run.profile_id,
  run.run_id,
  run.flow,
  answer.object ->> 'screen' as screen_id,
  answer.object ->> 'element' as element_id,
  item.position::integer as position,
  item.object ->> 'id' as option_id,
  item.object ->> 'title' as option_title,
  (answer.object ->> 'at')::timestamptz as answered_at
from sluice.flow_runs as run
cross join lateral json_array_elements(run.answers::json) as answer (object)
cross join lateral json_array_elements(answer.object -> 'items')
  with ordinality as item (object, position);

comment on view sluice.answer_choices is
  'One row per chosen option of a choice. Grain: profile_id, run_id, screen_id, element_id, position.';
comment on column sluice.answer_choices.profile_id is
  'The profile that chose.';
comment on column sluice.answer_choices.run_id is
  'The run in flow_runs.';
comment on column sluice.answer_choices.flow is
  'The flow''s name, as in flow_runs.';
comment on column sluice.answer_choices.screen_id is
  'The screen that asked.';
comment on column sluice.answer_choices.element_id is
  'The element that was answered.';
comment on column sluice.answer_choices.position is
  'Place of the option among the chosen ones, in the builder''s order, counted from 1.';
comment on column sluice.answer_choices.option_id is
  'The option that was chosen.';
comment on column sluice.answer_choices.option_title is
  'Its title; null when unknown.';
comment on column sluice.answer_choices.answered_at is
  'When the choice was made last.';
