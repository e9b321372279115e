-- Every screen of every run's path.
create or replace view sluice.screen_views as
select
  run.profile_id,
  run.run_id,
  run.flow,
  step.position::integer as position,
  step.screen_id,
  step.screen_order,
  step.is_last,
  run.started_at + step.at_ms * interval '1 millisecond' as first_viewed_at,
  step.spent_ms / 1000.0::double precision as seconds_spent,
  step.views
from sluice.flow_runs as run
cross join lateral unnest(
  run.path_screens, run.path_order, run.path_is_last, run.path_at_ms, run.path_spent_ms, run.path_views
) with ordinality as step (screen_id, screen_order, is_last, at_ms, spent_ms, views, position);

comment on view sluice.screen_views is
  'One row per screen of a run''s path, each screen once. Grain: profile_id, run_id, position.';
comment on column sluice.screen_views.profile_id is
  'The profile that saw it.';
comment on column sluice.screen_views.run_id is
  'The run in flow_runs.';
comment on column sluice.screen_views.flow is
  'The flow''s name, as in flow_runs.';
comment on column sluice.screen_views.position is
  'Place on the path by first view, counted from 1.';
comment on column sluice.screen_views.screen_id is
  'The screen.';
comment on column sluice.screen_views.screen_order is
  'screen_order as sent; null when absent.';
comment on column sluice.screen_views.is_last is
  'Whether it was sent as the last screen.';
comment on column sluice.screen_views.first_viewed_at is
  'Its first view, to the millisecond.';
comment on column sluice.screen_views.seconds_spent is
  'Seconds spent on it over all views; null when its last view was never closed.';
comment on column sluice.screen_views.views is
  'How often it was viewed in this run.';
