-- Where events came from, and what of them meant nothing. Outside the law of the dump, as all of 0001.

alter table sluice.ingest_files add column sources jsonb not null default '{}';

comment on column sluice.ingest_files.sources is
  'By source, the kinds of events that came from it, e.g. {"segment": ["flow_appeared"]}; see the view event_sources. Empty for a file that was read before this was noted.';

alter table sluice.job_runs add column sources jsonb;

comment on column sluice.job_runs.sources is
  'As in ingest_files, of what the job read from the standard input; null where it read files alone.';

create table sluice.unknown_names (
  job_id bigint not null,
  source text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  n bigint not null,
  primary key (job_id, source, kind, name)
);

comment on table sluice.unknown_names is
  'One row per name that a job met and that means nothing here; what it stands at is kept, or left aside. Grain: job_id, source, kind, name.';
comment on column sluice.unknown_names.job_id is
  'The job in job_runs that met it.';
comment on column sluice.unknown_names.source is
  'The source of the records it came in, e.g. canonical or amplitude.';
comment on column sluice.unknown_names.kind is
  'event, column (of a table, or a member of a record), member (of params, whose value cannot be read), purchase_result, error_code or store_message.';
comment on column sluice.unknown_names.name is
  'The name, at most 100 bytes; empty for what looks like none, and for names beyond the first 1,000 of a file.';
comment on column sluice.unknown_names.n is
  'How often it came in records that became events.';
