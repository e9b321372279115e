-- Sessions that make up no flow runs, since they would have more than the pipeline allows.
create or replace view sluice.quarantined_sessions as
select
  profile.profile_id,
  session.session_id,
  session.flow_runs
from sluice.profiles as profile
cross join unnest(profile.overfull_sessions, profile.overfull_session_runs)
  as session (session_id, flow_runs)
where profile.overfull_sessions <> '{}';

comment on view sluice.quarantined_sessions is
  'One row per session that is set aside: its events are stored, and count for all but flow runs and their answers. Grain: profile_id, session_id.';
comment on column sluice.quarantined_sessions.profile_id is
  'The profile.';
comment on column sluice.quarantined_sessions.session_id is
  'The session.';
comment on column sluice.quarantined_sessions.flow_runs is
  'How many flow runs it would have.';
