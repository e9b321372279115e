-- Little work of many shards is one transaction.
alter table sluice.job_units alter column shard drop not null;

comment on column sluice.job_units.shard is
  'The shard it wrote; null where it wrote several.';
