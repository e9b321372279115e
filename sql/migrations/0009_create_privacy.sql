-- Who was erased, and how far back events are kept.

create table sluice.erasure_key (
  is_only boolean not null default true check (is_only),
  key bytea not null,
  primary key (is_only)
);

-- Each UUID holds 122 random bits of the server's generator for secrets.
insert into sluice.erasure_key (key)
select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

comment on table sluice.erasure_key is
  'One row: what makes the hashes in erasures impossible to guess. Only who writes may read it. Lost, nobody knows any more who was erased. Grain: the schema.';
comment on column sluice.erasure_key.is_only is
  'True: there is one row.';
comment on column sluice.erasure_key.key is
  '32 random bytes, made when the table was.';

create table sluice.erasures (
  id_hash bytea not null,
  erased_at timestamptz not null default now(),
  primary key (id_hash)
);

comment on table sluice.erasures is
  'One row per id that was erased and must not come back. Grain: id_hash.';
comment on column sluice.erasures.id_hash is
  'HMAC-SHA-256 of the id under the key in erasure_key; a customer''s id as cu: and the id.';
comment on column sluice.erasures.erased_at is
  'When it was erased first, by the server''s clock.';

create table sluice.retention_floors (
  floor_at timestamptz not null,
  set_at timestamptz not null default now(),
  primary key (floor_at)
);

comment on table sluice.retention_floors is
  'One row per instant that expire was given. The greatest is in force: no earlier event is stored. Grain: floor_at.';
comment on column sluice.retention_floors.floor_at is
  'Events before it are out, by their devices'' uncorrected clocks.';
comment on column sluice.retention_floors.set_at is
  'When it was given, by the server''s clock.';

-- Reports gain min_group, and the arguments of a function cannot be replaced.
drop function if exists sluice.segment_sizes(date, date, text, text);
drop function if exists sluice.funnel(date, date, text, text);
drop function if exists sluice.purchase_funnel(date, date, text, text);
drop function if exists sluice.error_counts(date, date, text, text);
drop function if exists sluice.product_loading_failures(date, date, text, text);
drop function if exists sluice.restore_counts(date, date, text, text);
drop function if exists sluice.subscription_states(date, date, text, text);
drop function if exists sluice.store_message_counts(date, date, text, text);
