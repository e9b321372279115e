-- Which kinds of events came from which sources. An event that two of them tell counts twice.
create or replace view sluice.event_sources as
with told as (
  select file.job_id, file.sources
  from sluice.ingest_files as file
  union all
  select job.job_id, job.sources
  from sluice.job_runs as job
  where job.sources is not null
),
kinds as (
  select
    kind.value as event_kind,
    source.key as source,
    count(*) as inputs,
    max(told.job_id) as last_job_id
  from told
  cross join lateral jsonb_each(told.sources) as source
  cross join lateral jsonb_array_elements_text(source.value) as kind
  group by kind.value, source.key
)
select
  kinds.event_kind,
  kinds.source,
  kinds.inputs,
  kinds.last_job_id,
  count(*) over (partition by kinds.event_kind) > 1 as is_doubled
from kinds;

comment on view sluice.event_sources is
  'One row per kind of events and source it came from; the vendor''s own records, which are matched by transaction, are left out. Grain: event_kind, source.';
comment on column sluice.event_sources.event_kind is
  'Canonical name of the kind; the event''s own name where it means nothing.';
comment on column sluice.event_sources.source is
  'The source, e.g. canonical or amplitude.';
comment on column sluice.event_sources.inputs is
  'Files, and readings of the standard input, that brought it.';
comment on column sluice.event_sources.last_job_id is
  'The latest job in job_runs that did.';
comment on column sluice.event_sources.is_doubled is
  'True where the kind came from another source too.';
