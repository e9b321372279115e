-- Which ids are one person's. Rows here follow from the events, like those of the profiles.

create table sluice.profile_links (
  profile_id text collate "C" not null,
  from_id text collate "C" not null,
  into_id text collate "C" not null,
  origin text collate "C" not null,
  primary key (profile_id, from_id, into_id, origin)
);

create index profile_links_by_from on sluice.profile_links (from_id, into_id);
create index profile_links_by_into on sluice.profile_links (into_id, from_id);

comment on table sluice.profile_links is
  'One row per statement in a profile''s events that two ids are one person''s. Grain: profile_id, from_id, into_id, origin.';
comment on column sluice.profile_links.profile_id is
  'The id under which the event that says so arrived; often one of the two, and not always.';
comment on column sluice.profile_links.from_id is
  'Of a merge, the id that was given up; else the profile that carries the other id.';
comment on column sluice.profile_links.into_id is
  'Of a merge, the id that goes on; else the carried id with its tool''s prefix, e.g. cu:42 or amplitude:d1.';
comment on column sluice.profile_links.origin is
  'profile_merged, customer_user_id or integration_ids; the last two only where the pipeline file says so.';

create table sluice.profile_aliases (
  profile_id text collate "C" not null,
  canonical_id text collate "C" not null,
  primary key (profile_id)
);

create index profile_aliases_by_canonical on sluice.profile_aliases (canonical_id);

comment on table sluice.profile_aliases is
  'One row per id of a person that is not the one all their rows stand under. Grain: profile_id.';
comment on column sluice.profile_aliases.profile_id is
  'The id that the person has besides.';
comment on column sluice.profile_aliases.canonical_id is
  'The id that the person''s rows stand under: the smallest vendor id that was given up for no other, else the smallest.';

create table sluice.ununited_profiles (
  profile_id text collate "C" not null,
  primary key (profile_id)
);

comment on table sluice.ununited_profiles is
  'One row per id whose links count for nothing, since together they would make a person of more than 32 ids. View quarantined_links lists the links. Grain: profile_id.';
comment on column sluice.ununited_profiles.profile_id is
  'An id that stands alone although links name it.';
