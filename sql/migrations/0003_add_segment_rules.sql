-- Reports show each segment's size beside its rule.

alter table sluice.generations
  add column segment_rules text[] collate "C" not null default '{}';

comment on column sluice.generations.segment_rules is
  'For each of segments, the text of its rule; empty for a generation from before this column.';

-- It gains a column, and the columns of a function cannot be replaced.
drop function if exists sluice.segment_sizes(date, date, text, text);
