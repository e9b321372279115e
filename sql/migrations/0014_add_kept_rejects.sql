-- Where jobs wrote what they rejected, so that an erasure reaches it.

alter table sluice.job_runs add column kept_rejects text collate "C";

comment on column sluice.job_runs.kept_rejects is
  'Real path of the private file into which the job wrote the texts of its rejects (--keep-rejects), bytes that are no UTF-8 as %XX; null for none. It goes away after 30 days; erase takes records out of it that hold an erased id.';
