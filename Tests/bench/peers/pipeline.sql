-- What the two hand-written pipelines fill.
create table flow_runs (
  profile_id text collate "C",
  session_id text collate "C",
  started_at timestamptz not null,
  ended_at timestamptz not null,
  screens integer not null,
  last_screen_id text,
  completed boolean not null,
  weight double precision,
  height double precision,
  primary key (profile_id, session_id)
);
create table attributes (
  profile_id text collate "C",
  key text,
  value double precision not null,
  primary key (profile_id, key)
);
create table segment_members (
  profile_id text collate "C",
  segment text,
  since timestamptz not null,
  primary key (profile_id, segment)
);
create table placement_decisions (
  profile_id text collate "C",
  placement_id text,
  flow_id text not null,
  because text not null,
  primary key (profile_id, placement_id)
);
-- Filled with --keep-events alone: without it nothing can be derived again when the next file comes.
create table events (
  event_id text collate "C" primary key,
  event_name text not null,
  profile_id text not null,
  session_id text,
  occurred_at timestamptz not null,
  screen_id text,
  screen_order integer,
  is_last_screen boolean,
  element_id text,
  answer text
);
