-- Every membership there ever was, the current ones included.
create or replace view sluice.segment_intervals as
select
  history.profile_id,
  history.segment,
  history.from_at,
  history.to_at
from sluice.segment_history as history
union all
select
  member.profile_id,
  member.segment,
  member.since as from_at,
  null::timestamptz as to_at
from sluice.segment_members as member;

comment on view sluice.segment_intervals is
  'One row per interval of membership. Grain: profile_id, segment, from_at.';
comment on column sluice.segment_intervals.profile_id is
  'The member.';
comment on column sluice.segment_intervals.segment is
  'The segment''s name in the pipeline file.';
comment on column sluice.segment_intervals.from_at is
  'When membership began, in event time, inclusive.';
comment on column sluice.segment_intervals.to_at is
  'When it ended, in event time, exclusive; null for a current member.';
