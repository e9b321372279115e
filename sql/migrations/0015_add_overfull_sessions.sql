-- Sessions with more flow runs than a person can have.

alter table sluice.profiles
  add column overfull_sessions text[] collate "C" not null default '{}',
  add column overfull_session_runs integer[] not null default '{}';

comment on column sluice.profiles.overfull_sessions is
  'Sessions with more flow runs than the pipeline''s limit: they are no person''s, and none of their runs is in flow_runs.';
comment on column sluice.profiles.overfull_session_runs is
  'How many flow runs each of overfull_sessions would have.';
