-- The hash range a profile belongs to. Read by: whoever splits work as the program does.
create or replace function sluice.shard(profile_id text)
returns integer
language sql
immutable
strict
parallel safe
begin atomic
  select get_byte(decode(md5(shard.profile_id), 'hex'), 0) & 63;
end;

comment on function sluice.shard(text) is
  'Shard of a profile id, 0 to 63: the low six bits of the first byte of the MD5 of its UTF-8 bytes. Never changes.';
