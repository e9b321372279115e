-- What the program keeps for its own work. Outside the law of the dump: it holds clocks, jobs and files.

create table sluice.schema_migrations (
  name text collate "C" not null,
  hash text collate "C" not null,
  applied_at timestamptz not null default now(),
  primary key (name)
);

comment on table sluice.schema_migrations is
  'One row per SQL file that made this schema. Grain: name.';
comment on column sluice.schema_migrations.name is
  'The file below the sql folder, e.g. migrations/0001_create_operation.sql; generated/… for what the program writes itself.';
comment on column sluice.schema_migrations.hash is
  'First 32 hex digits of the SHA-256 of the text as it was applied.';
comment on column sluice.schema_migrations.applied_at is
  'When the text was applied last, by the server''s clock.';

create table sluice.generations (
  hash text collate "C" not null,
  pipeline text collate "C" not null,
  text text collate "C" not null,
  resolver_version integer not null,
  codec integer not null,
  segments text[] collate "C" not null,
  reports_exclude text collate "C",
  started_at timestamptz not null default now(),
  replaced_at timestamptz,
  is_current boolean not null generated always as (replaced_at is null) stored,
  primary key (hash)
);

create unique index generations_one_is_current on sluice.generations (is_current) where is_current;

comment on table sluice.generations is
  'One row per state of the pipeline file that this schema was ever derived by. Grain: hash.';
comment on column sluice.generations.hash is
  'Hash of the canonical rendering of the pipeline and the resolver''s version.';
comment on column sluice.generations.pipeline is
  'The pipeline''s name; one pipeline owns one schema.';
comment on column sluice.generations.text is
  'The canonical text of the pipeline file: itself a pipeline file, without comments and tests.';
comment on column sluice.generations.resolver_version is
  'Version of the program''s rules of derivation.';
comment on column sluice.generations.codec is
  'Version of the encoding of profile_events.events that was written.';
comment on column sluice.generations.segments is
  'Names of the segments that the pipeline declares, so that an empty one is reported too.';
comment on column sluice.generations.reports_exclude is
  'Name of the segment whose members reports leave out; null for nobody.';
comment on column sluice.generations.started_at is
  'When it came into force, by the server''s clock.';
comment on column sluice.generations.replaced_at is
  'When another one came into force; null for the current one.';
comment on column sluice.generations.is_current is
  'True for the one generation in force.';

create table sluice.shard_state (
  shard smallint not null,
  generation text collate "C",
  cursor text collate "C",
  min_review_at timestamptz,
  primary key (shard)
);

insert into sluice.shard_state (shard)
select number
from generate_series(0, 63) as number;

comment on table sluice.shard_state is
  'One row per shard (hash range of profile ids), 64 in all. Grain: shard.';
comment on column sluice.shard_state.shard is
  'Number of the shard, 0 to 63; see function shard(text).';
comment on column sluice.shard_state.generation is
  'Hash of the generation that the shard follows; null before the first one.';
comment on column sluice.shard_state.cursor is
  'While the shard is derived anew for its generation: the last profile that is done, empty for none. Null when all are.';
comment on column sluice.shard_state.min_review_at is
  'The earliest next_review_at of the shard''s profiles; null when there is none; -infinity when one waits to be derived.';

create table sluice.job_runs (
  job_id bigint not null generated always as identity,
  command text collate "C" not null,
  generation text collate "C" not null,
  as_of timestamptz not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  state text collate "C" not null default 'running',
  exit_code integer,
  counts jsonb,
  primary key (job_id)
);

create index job_runs_by_as_of on sluice.job_runs (as_of);

comment on table sluice.job_runs is
  'One row per execution of the program that wrote. Grain: job_id.';
comment on column sluice.job_runs.job_id is
  'Number of the job, ascending.';
comment on column sluice.job_runs.command is
  'The command that was run, without its arguments.';
comment on column sluice.job_runs.generation is
  'Hash of the generation that the job worked by.';
comment on column sluice.job_runs.as_of is
  'The instant that the job derived everything for. The greatest of all jobs is in force.';
comment on column sluice.job_runs.started_at is
  'By the server''s clock.';
comment on column sluice.job_runs.finished_at is
  'By the server''s clock; null while running, and for ever if the job was killed.';
comment on column sluice.job_runs.state is
  'running, done or failed; a job that was killed stays running.';
comment on column sluice.job_runs.exit_code is
  'What the program ended with; null while running.';
comment on column sluice.job_runs.counts is
  'The job''s sheet: what became of its events. Sums of job_units.counts; null while running.';

create table sluice.job_units (
  job_id bigint not null,
  unit bigint not null,
  shard smallint not null,
  counts jsonb not null,
  primary key (job_id, unit)
);

comment on table sluice.job_units is
  'One row per transaction of a job, written by that transaction. Grain: job_id, unit.';
comment on column sluice.job_units.job_id is
  'The job in job_runs.';
comment on column sluice.job_units.unit is
  'Number of the transaction within its job.';
comment on column sluice.job_units.shard is
  'The shard it wrote.';
comment on column sluice.job_units.counts is
  'What became of its events, rows written and deleted by table, profiles in and out of each segment.';

create table sluice.ingest_files (
  path text collate "C" not null,
  device bigint not null,
  inode bigint not null,
  size bigint not null,
  mtime_ns bigint not null,
  ctime_ns bigint not null,
  bytes_done bigint not null,
  lines_done bigint not null,
  head_hash bytea not null,
  tail_hash bytea not null,
  reader_revision text collate "C" not null,
  is_done boolean not null,
  is_truncated boolean not null,
  counts jsonb not null,
  job_id bigint not null,
  read_at timestamptz not null default now(),
  primary key (path)
);

comment on table sluice.ingest_files is
  'One row per input file that was read, written after its events are stored. It saves work and decides nothing. Grain: path.';
comment on column sluice.ingest_files.path is
  'Real path of the file, links resolved.';
comment on column sluice.ingest_files.device is
  'Device number of its file system.';
comment on column sluice.ingest_files.inode is
  'Inode number.';
comment on column sluice.ingest_files.size is
  'Size in bytes when it was opened.';
comment on column sluice.ingest_files.mtime_ns is
  'Time of its last change of content, nanoseconds since 1970.';
comment on column sluice.ingest_files.ctime_ns is
  'Time of its last change of any kind, nanoseconds since 1970.';
comment on column sluice.ingest_files.bytes_done is
  'Bytes of the file that are read and stored.';
comment on column sluice.ingest_files.lines_done is
  'Lines that are read and stored.';
comment on column sluice.ingest_files.head_hash is
  'Hash of its first 4 kB.';
comment on column sluice.ingest_files.tail_hash is
  'Hash of the last 4 kB before bytes_done.';
comment on column sluice.ingest_files.reader_revision is
  'Hash of what decides how bytes become events; another one has the file read again.';
comment on column sluice.ingest_files.is_done is
  'True when it was read to its end.';
comment on column sluice.ingest_files.is_truncated is
  'True when a compressed file ends in the middle; such a file is never done.';
comment on column sluice.ingest_files.counts is
  'The file''s sheet: records read, events, blank lines, filtered records and rejects by reason.';
comment on column sluice.ingest_files.job_id is
  'The job in job_runs that read it last.';
comment on column sluice.ingest_files.read_at is
  'When that was recorded, by the server''s clock.';

create table sluice.rejects (
  file text collate "C" not null,
  byte_offset bigint not null,
  length bigint not null,
  reason text collate "C" not null,
  field text collate "C" not null,
  line bigint not null,
  job_id bigint not null,
  primary key (file, byte_offset, length, reason)
);

comment on table sluice.rejects is
  'One row per input record that did not become an event; never its text. Grain: file, byte_offset, length, reason.';
comment on column sluice.rejects.file is
  'Real path of the input file, - for the standard input.';
comment on column sluice.rejects.byte_offset is
  'Where the record starts, in bytes from the start of the uncompressed input.';
comment on column sluice.rejects.length is
  'Length of the record in bytes.';
comment on column sluice.rejects.reason is
  'Why it was refused, e.g. invalid_time.';
comment on column sluice.rejects.field is
  'The member at fault; empty where the whole record is.';
comment on column sluice.rejects.line is
  'Line of the record''s first byte, counted from 1.';
comment on column sluice.rejects.job_id is
  'The job in job_runs that met it first.';
