-- Clocks that ran ahead, jobs that went back in time, what jobs read, and at which stage records fail.

alter table sluice.profiles
  add column events_corrected integer not null default 0;

comment on column sluice.profiles.events_corrected is
  'Of events, those whose time was corrected because the clock of their device ran ahead.';

alter table sluice.flow_runs
  add column clock_ahead_ms bigint;

comment on column sluice.flow_runs.clock_ahead_ms is
  'By how many milliseconds the device''s clock ran ahead; all times of the run are corrected by it. Null where the clock was left alone.';

alter table sluice.job_runs
  add column is_rewind boolean not null default false,
  add column reading jsonb;

create index job_runs_rewinds on sluice.job_runs (job_id) where is_rewind;

comment on column sluice.job_runs.as_of is
  'The instant that the job derived everything for. The greatest since the last rewind is in force.';
comment on column sluice.job_runs.is_rewind is
  'True for a job that set the instant in force back.';
comment on column sluice.job_runs.reading is
  'The sheet of the inputs that the job read: records read, events, blank lines, filtered records and rejects by reason. Null while running, and for a job without inputs.';

alter table sluice.rejects
  add column stage text collate "C" not null default 'envelope';

update sluice.rejects
set stage = case
  when reason in ('record_too_large', 'too_deep') then 'limit'
  when reason in ('truncated_record', 'unreadable_tail', 'wrong_encoding', 'ragged_row', 'invalid_csv') then 'frame'
  when reason in ('invalid_json', 'not_an_object', 'invalid_utf8') then 'parse'
  else 'envelope'
end;

comment on column sluice.rejects.stage is
  'Where in the reading it was refused: frame (finding the record), parse (its JSON), limit (too large), envelope (its members).';
