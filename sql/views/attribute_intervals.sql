-- Every value an attribute ever had, the current one included.
create or replace view sluice.attribute_intervals as
select
  history.profile_id,
  history.key,
  history.from_at,
  history.to_at,
  history.value_number,
  history.value_text
from sluice.attribute_history as history
union all
select
  attribute.profile_id,
  attribute.key,
  attribute.set_at as from_at,
  null::timestamptz as to_at,
  attribute.value_number,
  attribute.value_text
from sluice.custom_attributes as attribute;

comment on view sluice.attribute_intervals is
  'One row per interval in which an attribute had one value; gaps are absences. Grain: profile_id, key, from_at.';
comment on column sluice.attribute_intervals.profile_id is
  'The profile that had it.';
comment on column sluice.attribute_intervals.key is
  'The attribute''s name in the pipeline file.';
comment on column sluice.attribute_intervals.from_at is
  'When the value began, in event time, inclusive.';
comment on column sluice.attribute_intervals.to_at is
  'When it ended, in event time, exclusive; null for the current value.';
comment on column sluice.attribute_intervals.value_number is
  'The value of a number attribute, in the unit of its rule; null for text.';
comment on column sluice.attribute_intervals.value_text is
  'The value of a text attribute; null for a number.';
