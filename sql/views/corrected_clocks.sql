-- Flow runs on devices whose clock ran ahead, with their times as they were corrected.
create or replace view sluice.corrected_clocks as
select
  run.profile_id,
  run.session_id,
  run.run_id,
  run.flow,
  run.started_at,
  run.clock_ahead_ms
from sluice.flow_runs as run
where run.clock_ahead_ms is not null;

comment on view sluice.corrected_clocks is
  'One row per flow run whose times were corrected. Grain: profile_id, run_id.';
comment on column sluice.corrected_clocks.profile_id is
  'The profile.';
comment on column sluice.corrected_clocks.session_id is
  'The session whose clock it is; null where an event named none.';
comment on column sluice.corrected_clocks.run_id is
  'The run in flow_runs.';
comment on column sluice.corrected_clocks.flow is
  'Its flow, as in flow_runs.';
comment on column sluice.corrected_clocks.started_at is
  'Corrected time of its first event.';
comment on column sluice.corrected_clocks.clock_ahead_ms is
  'By how many milliseconds the clock ran ahead.';
