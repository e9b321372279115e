-- The set of events of each profile, and everything that follows from it.
-- Keys lead with profile_id, so that the tables can be distributed by it; no foreign keys, no triggers.

create table sluice.profile_events (
  profile_id text collate "C" not null,
  part smallint not null,
  events bytea not null,
  n integer not null,
  min_at timestamptz not null,
  max_at timestamptz not null,
  digest bytea not null,
  primary key (profile_id, part)
) with (toast_tuple_target = 8160);

-- The encoding interns its strings: the server's compression would cost much and save little.
alter table sluice.profile_events alter column events set storage external;

comment on table sluice.profile_events is
  'The stored events of each profile: the state that everything else is derived from. Grain: profile_id, part.';
comment on column sluice.profile_events.profile_id is
  'The profile, under the id that its events arrived with.';
comment on column sluice.profile_events.part is
  'Number of the part; an event lies in exactly one part. At present all lie in part 0.';
comment on column sluice.profile_events.events is
  'The events in the program''s own encoding; the first byte is its version.';
comment on column sluice.profile_events.n is
  'Events in the part.';
comment on column sluice.profile_events.min_at is
  'Earliest time in the part, by the devices'' uncorrected clocks.';
comment on column sluice.profile_events.max_at is
  'Latest time in the part, by the devices'' uncorrected clocks.';
comment on column sluice.profile_events.digest is
  'First 16 bytes of the SHA-256 of the part''s events in canonical form.';

create table sluice.profiles (
  profile_id text collate "C" not null,
  shard smallint not null,
  events integer not null,
  events_ahead integer not null,
  first_event_at timestamptz,
  last_event_at timestamptz,
  platform text collate "C",
  app_version text collate "C",
  os_version text collate "C",
  device text collate "C",
  locale text collate "C",
  time_zone text collate "C",
  country text collate "C",
  store_country text collate "C",
  customer_user_id text collate "C",
  environment text collate "C",
  is_test_user boolean,
  installed_at timestamptz,
  next_review_at timestamptz,
  next_placement_id text collate "C",
  next_because text collate "C" not null,
  next_store_messages text[] collate "C" not null,
  missing_keys text[] collate "C" not null,
  missing_reasons text[] collate "C" not null,
  missing_since timestamptz[] not null,
  missing_run_ids text[] collate "C" not null,
  primary key (profile_id)
);

create index profiles_by_shard on sluice.profiles (shard, profile_id);
create index profiles_by_review on sluice.profiles (shard, next_review_at)
  where next_review_at is not null;

comment on table sluice.profiles is
  'One row per profile: its latest known standard attributes and its next placement. Grain: profile_id.';
comment on column sluice.profiles.profile_id is
  'The profile''s id.';
comment on column sluice.profiles.shard is
  'Hash range of the id, 0 to 63; see function shard(text).';
comment on column sluice.profiles.events is
  'Events up to the instant that the job derived for.';
comment on column sluice.profiles.events_ahead is
  'Events after that instant; they count once it has passed them.';
comment on column sluice.profiles.first_event_at is
  'Time of the first event; null when all of them lie ahead.';
comment on column sluice.profiles.last_event_at is
  'Time of the last event; null when all of them lie ahead.';
comment on column sluice.profiles.platform is
  'Latest known platform, e.g. ios; null when unknown.';
comment on column sluice.profiles.app_version is
  'Latest known version of the app; null when unknown.';
comment on column sluice.profiles.os_version is
  'Latest known version of the operating system; null when unknown.';
comment on column sluice.profiles.device is
  'Latest known model of the device; null when unknown.';
comment on column sluice.profiles.locale is
  'Latest known locale, e.g. de_DE; null when unknown.';
comment on column sluice.profiles.time_zone is
  'Latest known time zone of the device; null when unknown.';
comment on column sluice.profiles.country is
  'Latest known country; null when unknown.';
comment on column sluice.profiles.store_country is
  'Latest known country of the store account; null when unknown.';
comment on column sluice.profiles.customer_user_id is
  'Latest known id that the app''s owner gave to the person; null when unknown.';
comment on column sluice.profiles.environment is
  'Latest known environment, e.g. production or sandbox; null when unknown.';
comment on column sluice.profiles.is_test_user is
  'Whether the person is a tester, as last said; null when never said.';
comment on column sluice.profiles.installed_at is
  'When the app was installed, as last said; null when unknown.';
comment on column sluice.profiles.next_review_at is
  'The next instant at which time alone could change this profile''s rows; null when none; -infinity when it waits to be derived.';
comment on column sluice.profiles.next_placement_id is
  'The placement to show next; null when nothing is to be shown.';
comment on column sluice.profiles.next_because is
  'Why: the words of the rule that decided.';
comment on column sluice.profiles.next_store_messages is
  'Store messages to show next, in order; empty when none.';
comment on column sluice.profiles.missing_keys is
  'Declared attributes that have no value; view missing_attributes unfolds them.';
comment on column sluice.profiles.missing_reasons is
  'For each of missing_keys, why there is no value.';
comment on column sluice.profiles.missing_since is
  'For each of missing_keys, since when in event time.';
comment on column sluice.profiles.missing_run_ids is
  'For each of missing_keys, the run of the latest answer that was read; null elements where there was none.';

create table sluice.flow_runs (
  profile_id text collate "C" not null,
  run_id text collate "C" not null,
  session_id text collate "C",
  run_number integer not null,
  flow text collate "C" not null,
  placement_id text collate "C",
  flow_id text collate "C",
  flow_version_id text collate "C",
  variation_id text collate "C",
  platform text collate "C",
  app_version text collate "C",
  country text collate "C",
  started_at timestamptz not null,
  ended_at timestamptz,
  last_event_at timestamptz not null,
  completed boolean not null,
  completed_at timestamptz,
  last_screen_id text collate "C",
  screens integer not null,
  answers text collate "C" not null,
  path_screens text[] collate "C" not null,
  path_order integer[] not null,
  path_is_last boolean[] not null,
  path_at_ms bigint[] not null,
  path_spent_ms bigint[] not null,
  path_views integer[] not null,
  primary key (profile_id, run_id)
);

comment on table sluice.flow_runs is
  'One row per flow run: one presentation of one flow to one profile. Grain: profile_id, run_id.';
comment on column sluice.flow_runs.profile_id is
  'The profile that saw it.';
comment on column sluice.flow_runs.run_id is
  '32 hex digits that follow from the profile and the run''s first event.';
comment on column sluice.flow_runs.session_id is
  'The session that its events named; null where they named none.';
comment on column sluice.flow_runs.run_number is
  'Number among the profile''s runs of this flow, counted from 1.';
comment on column sluice.flow_runs.flow is
  'The flow''s name in the pipeline file, else its placement id, else its flow id, else empty.';
comment on column sluice.flow_runs.placement_id is
  'The placement that presented it; null when unknown.';
comment on column sluice.flow_runs.flow_id is
  'The vendor''s flow id; null when unknown.';
comment on column sluice.flow_runs.flow_version_id is
  'The vendor''s id of the flow''s version; null when unknown.';
comment on column sluice.flow_runs.variation_id is
  'The variation that was shown; null when unknown.';
comment on column sluice.flow_runs.platform is
  'Platform at the run''s first event; null when unknown.';
comment on column sluice.flow_runs.app_version is
  'Version of the app at the run''s first event; null when unknown.';
comment on column sluice.flow_runs.country is
  'Country at the run''s first event; null when unknown.';
comment on column sluice.flow_runs.started_at is
  'Time of the run''s first event.';
comment on column sluice.flow_runs.ended_at is
  'When the flow was closed; null when no event said so.';
comment on column sluice.flow_runs.last_event_at is
  'Time of the run''s last event.';
comment on column sluice.flow_runs.completed is
  'True when a last screen was shown; going back does not undo it.';
comment on column sluice.flow_runs.completed_at is
  'When a last screen was first shown; null when none was.';
comment on column sluice.flow_runs.last_screen_id is
  'The last screen of the path; null when no screen was shown.';
comment on column sluice.flow_runs.screens is
  'Different screens on the path.';
comment on column sluice.flow_runs.answers is
  'JSON array of {screen, element, type, value | items, at}; value null is a cleared answer. View answers unfolds it.';
comment on column sluice.flow_runs.path_screens is
  'Ids of the screens, each once, in the order of their first view. View screen_views unfolds the path.';
comment on column sluice.flow_runs.path_order is
  'For each screen of the path, screen_order as sent; null elements where absent.';
comment on column sluice.flow_runs.path_is_last is
  'For each screen of the path, whether it was sent as the last screen.';
comment on column sluice.flow_runs.path_at_ms is
  'For each screen of the path, its first view in milliseconds after started_at.';
comment on column sluice.flow_runs.path_spent_ms is
  'For each screen of the path, milliseconds spent on it over all views; null elements where unknown.';
comment on column sluice.flow_runs.path_views is
  'For each screen of the path, how often it was viewed.';

create table sluice.custom_attributes (
  profile_id text collate "C" not null,
  key text collate "C" not null,
  value_number double precision,
  value_text text collate "C",
  set_at timestamptz not null,
  run_id text collate "C",
  primary key (profile_id, key)
);

comment on table sluice.custom_attributes is
  'One row per declared attribute that a profile has. Grain: profile_id, key.';
comment on column sluice.custom_attributes.profile_id is
  'The profile that has it.';
comment on column sluice.custom_attributes.key is
  'The attribute''s name in the pipeline file.';
comment on column sluice.custom_attributes.value_number is
  'The value of a number attribute, in the unit of its rule; null for text.';
comment on column sluice.custom_attributes.value_text is
  'The value of a text attribute; null for a number.';
comment on column sluice.custom_attributes.set_at is
  'When the current value began, in event time.';
comment on column sluice.custom_attributes.run_id is
  'The run of the latest answer that was used; null when none was.';

create table sluice.attribute_history (
  profile_id text collate "C" not null,
  key text collate "C" not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  value_number double precision,
  value_text text collate "C",
  primary key (profile_id, key, from_at)
);

comment on table sluice.attribute_history is
  'One row per past interval in which an attribute had one value; the current one is in custom_attributes. Grain: profile_id, key, from_at.';
comment on column sluice.attribute_history.profile_id is
  'The profile that had it.';
comment on column sluice.attribute_history.key is
  'The attribute''s name in the pipeline file.';
comment on column sluice.attribute_history.from_at is
  'When the value began, in event time, inclusive.';
comment on column sluice.attribute_history.to_at is
  'When it ended, in event time, exclusive.';
comment on column sluice.attribute_history.value_number is
  'The value of a number attribute, in the unit of its rule; null for text.';
comment on column sluice.attribute_history.value_text is
  'The value of a text attribute; null for a number.';

create table sluice.segment_members (
  profile_id text collate "C" not null,
  segment text collate "C" not null,
  since timestamptz not null,
  primary key (profile_id, segment)
);

comment on table sluice.segment_members is
  'One row per segment that a profile is in now. Grain: profile_id, segment.';
comment on column sluice.segment_members.profile_id is
  'The member.';
comment on column sluice.segment_members.segment is
  'The segment''s name in the pipeline file.';
comment on column sluice.segment_members.since is
  'Member since, in event time.';

create table sluice.segment_history (
  profile_id text collate "C" not null,
  segment text collate "C" not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  primary key (profile_id, segment, from_at)
);

comment on table sluice.segment_history is
  'One row per past interval of membership; the current one is in segment_members. Grain: profile_id, segment, from_at.';
comment on column sluice.segment_history.profile_id is
  'The member of that time.';
comment on column sluice.segment_history.segment is
  'The segment''s name in the pipeline file.';
comment on column sluice.segment_history.from_at is
  'When membership began, in event time, inclusive.';
comment on column sluice.segment_history.to_at is
  'When it ended, in event time, exclusive.';

create table sluice.placement_decisions (
  profile_id text collate "C" not null,
  placement_id text collate "C" not null,
  audience text collate "C" not null,
  audience_version_id text collate "C",
  flow_id text collate "C",
  variation_id text collate "C",
  variation_source text collate "C",
  variation_reason text collate "C",
  tags text collate "C" not null,
  primary key (profile_id, placement_id)
);

comment on table sluice.placement_decisions is
  'One row per profile and declared placement: what it would show. Grain: profile_id, placement_id.';
comment on column sluice.placement_decisions.profile_id is
  'The profile that is decided for.';
comment on column sluice.placement_decisions.placement_id is
  'The placement in the pipeline file.';
comment on column sluice.placement_decisions.audience is
  'The winning audience: its segment''s name, or default.';
comment on column sluice.placement_decisions.audience_version_id is
  'The vendor''s id of the audience''s version; null when not declared.';
comment on column sluice.placement_decisions.flow_id is
  'The vendor''s flow id; null when the variation is unknown and flows differ.';
comment on column sluice.placement_decisions.variation_id is
  'The variation; null when there is none or it is unknown.';
comment on column sluice.placement_decisions.variation_source is
  'observed in the person''s own events, forced by an event, or predicted by the draw; null without a variation.';
comment on column sluice.placement_decisions.variation_reason is
  'Why there is no variation; null where there is one.';
comment on column sluice.placement_decisions.tags is
  'JSON object of tag names and their values, as the flow shows them. View decision_tags unfolds it.';
