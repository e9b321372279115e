-- Who is set aside, and which jobs are at work.

create table sluice.quarantined_profiles (
  profile_id text collate "C" not null,
  reason text collate "C" not null,
  sqlstate text collate "C",
  job_id bigint not null,
  quarantined_at timestamptz not null default now(),
  primary key (profile_id)
);

comment on table sluice.quarantined_profiles is
  'One row per id whose events count for nothing until `sluice release` says otherwise; nothing is derived from them, and later ones are counted as quarantined. Grain: profile_id.';
comment on column sluice.quarantined_profiles.profile_id is
  'The id, as its events arrived with it.';
comment on column sluice.quarantined_profiles.reason is
  'too_many_events (its stored events are gone), refused (the database refused what it sent or what follows from it), unreadable (its stored events are damaged).';
comment on column sluice.quarantined_profiles.sqlstate is
  'SQLSTATE of the refusal; null for other reasons.';
comment on column sluice.quarantined_profiles.job_id is
  'The job in job_runs that set it aside.';
comment on column sluice.quarantined_profiles.quarantined_at is
  'When, by the server''s clock.';

-- A job says again and again that it lives: whoever wants to be alone believes it until alive_until.
alter table sluice.job_runs
  add column token text collate "C",
  add column alive_until timestamptz;

create index job_runs_running on sluice.job_runs (alive_until) where state = 'running';

comment on column sluice.job_runs.token is
  'Random, of the program that started the job: it finds the row again where the answer to its commit was lost.';
comment on column sluice.job_runs.alive_until is
  'Until when the job counts as at work, by the server''s clock; it puts this off while it lives.';
comment on column sluice.job_runs.state is
  'running, done, failed, or lost: a job that did not say for a while that it lives, as a later job found.';
comment on column sluice.job_runs.finished_at is
  'By the server''s clock; null while running, and for a job that is lost.';
