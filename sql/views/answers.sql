-- Every answer of every run, as it was sent.
create or replace view sluice.answers as
select
  run.profile_id,
  run.run_id,
  run.flow,
  answer.object ->> 'screen' as screen_id,
  answer.object ->> 'element' as element_id,
  answer.object ->> 'type' as element_type,
  answer.object ->> 'value' as value_text,
  -- Bounded, so that no text a person typed can overflow or underflow the cast. Three digits after
  -- the point of typed text may be thousands in another locale: such a value is not guessed.
  case json_typeof(answer.object -> 'value')
    when 'number' then
      case
        when answer.object ->> 'value' ~ '^-?[0-9]{1,150}(\.[0-9]{1,100})?([eE][+-]?[0-9]{1,2})?$'
          then (answer.object ->> 'value')::double precision
      end
    when 'string' then
      case
        when answer.object ->> 'value' ~ '^-?[0-9]{1,150}(\.([0-9]{1,2}|[0-9]{4,100}))?$'
          then (answer.object ->> 'value')::double precision
      end
  end as value_number,
  case
    when answer.object -> 'items' is not null then array(
      select item.object ->> 'id'
      from json_array_elements(answer.object -> 'items') with ordinality as item (object, position)
      order by item.position
    )
  end as option_ids,
  case
    when answer.object -> 'items' is not null then array(
      select item.object ->> 'title'
      from json_array_elements(answer.object -> 'items') with ordinality as item (object, position)
      order by item.position
    )
  end as option_titles,
  (answer.object ->> 'at')::timestamptz as answered_at
from sluice.flow_runs as run
cross join lateral json_array_elements(run.answers::json) as answer (object);

comment on view sluice.answers is
  'One row per answered (or cleared) element of a run: the last input wins. Grain: profile_id, run_id, screen_id, element_id.';
comment on column sluice.answers.profile_id is
  'The profile that answered.';
comment on column sluice.answers.run_id is
  'The run in flow_runs.';
comment on column sluice.answers.flow is
  'The flow''s name, as in flow_runs.';
comment on column sluice.answers.screen_id is
  'The screen that asked.';
comment on column sluice.answers.element_id is
  'The element that was answered.';
comment on column sluice.answers.element_type is
  'Type of the element as sent; empty when absent.';
comment on column sluice.answers.value_text is
  'The answer as text; null for choices and for a cleared answer.';
comment on column sluice.answers.value_number is
  'The answer as a number where it can be read in one way only: a JSON number, or plain digits with at most one decimal point and not exactly three digits after it; else null. No unit is known.';
comment on column sluice.answers.option_ids is
  'Ids of the chosen options in the builder''s order; null where the answer is no choice, or cleared.';
comment on column sluice.answers.option_titles is
  'For each of option_ids, its title; null elements where unknown.';
comment on column sluice.answers.answered_at is
  'When it was answered or cleared last.';
