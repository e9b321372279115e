-- What the rule language has that PostgreSQL has not, or has with errors: the agreements of
-- SEMANTICS 7 and nothing more. Read by: the comparison of rules with PostgreSQL.
--
-- Functions name the server's own functions in full (float8pl, …): with this schema first in
-- search_path, a plain + in a body would call itself.

drop schema if exists oracle cascade;

create schema oracle;

-- 7.2: null where the result overflows or underflows; no negative zero.

create function oracle.plus(x float8, y float8) returns float8 language plpgsql strict immutable as $$
begin
  return float8pl(float8pl(x, y), 0);
exception when numeric_value_out_of_range then
  return null;
end $$;

create function oracle.minus(x float8, y float8) returns float8 language plpgsql strict immutable as $$
begin
  return float8pl(float8mi(x, y), 0);
exception when numeric_value_out_of_range then
  return null;
end $$;

create function oracle.times(x float8, y float8) returns float8 language plpgsql strict immutable as $$
begin
  return float8pl(float8mul(x, y), 0);
exception when numeric_value_out_of_range then
  return null;
end $$;

create function oracle.over(x float8, y float8) returns float8 language plpgsql strict immutable as $$
begin
  return float8pl(float8div(x, y), 0);
exception when numeric_value_out_of_range or division_by_zero then
  return null;
end $$;

create function oracle.negative(x float8) returns float8 language sql strict immutable as $$
  select float8mi(0, x)
$$;

-- 7.2: whole exponents up to 64 by square and multiply, lowest bit first; else the server's pow.
create function oracle.power(x float8, y float8) returns float8 language plpgsql strict immutable as $$
declare
  bits int;
  factor float8 := x;
  result float8 := 1;
begin
  if pg_catalog.trunc(y) <> y or pg_catalog.abs(y) > 64::float8 then
    return float8pl(dpow(x, y), 0);
  end if;
  if x = 0::float8 and y < 0::float8 then
    return null;
  end if;
  if x = 0::float8 then
    return case when y = 0::float8 then 1 else 0 end;
  end if;
  bits := pg_catalog.abs(y)::int;
  loop
    if bits & 1 = 1 then
      result := float8mul(result, factor);
    end if;
    bits := bits >> 1;
    exit when bits = 0;
    factor := float8mul(factor, factor);
  end loop;
  return case when y < 0::float8 then float8div(1, result) else result end;
exception
  when numeric_value_out_of_range or division_by_zero or invalid_argument_for_power_function then
    return null;
end $$;

create function oracle.sqrt(x float8) returns float8 language sql strict immutable as $$
  select case when x >= 0::float8 then float8pl(pg_catalog.sqrt(x), 0) end
$$;

create function oracle.abs(x float8) returns float8 language sql strict immutable as $$
  select pg_catalog.abs(x)
$$;

create function oracle.floor(x float8) returns float8 language sql strict immutable as $$
  select float8pl(pg_catalog.floor(x), 0)
$$;

create function oracle.ceil(x float8) returns float8 language sql strict immutable as $$
  select float8pl(pg_catalog.ceil(x), 0)
$$;

create function oracle.trunc(x float8) returns float8 language sql strict immutable as $$
  select float8pl(pg_catalog.trunc(x), 0)
$$;

create function oracle.round(x float8) returns float8 language sql strict immutable as $$
  select float8pl(pg_catalog.round(x), 0)
$$;

create function oracle.round(x float8, n float8) returns float8 language plpgsql strict immutable as $$
begin
  return float8pl(pg_catalog.round(x::numeric, n::int)::float8, 0);
exception when numeric_value_out_of_range then
  return null;
end $$;

create operator oracle.+ (leftarg = float8, rightarg = float8, function = oracle.plus);
create operator oracle.- (leftarg = float8, rightarg = float8, function = oracle.minus);
create operator oracle.* (leftarg = float8, rightarg = float8, function = oracle.times);
create operator oracle./ (leftarg = float8, rightarg = float8, function = oracle.over);
create operator oracle.^ (leftarg = float8, rightarg = float8, function = oracle.power);
create operator oracle.- (rightarg = float8, function = oracle.negative);

-- 7.3: text counts code points, in the type of numbers.

create function oracle.length(x text) returns float8 language sql strict immutable as $$
  select pg_catalog.length(x)::float8
$$;

create function oracle.lower(x text) returns text language sql strict immutable as $$
  select pg_catalog.lower(x collate "C")
$$;

create function oracle.upper(x text) returns text language sql strict immutable as $$
  select pg_catalog.upper(x collate "C")
$$;

-- A position that is no whole number, or a negative length, gives null; positions saturate.
create function oracle.substring(x text, start float8) returns text language sql strict immutable as $$
  select
    case when pg_catalog.trunc(start) = start
      then pg_catalog.substring(x, greatest(-1e9, least(1e9, start))::int)
    end
$$;

create function oracle.substring(x text, start float8, length float8) returns text
language plpgsql strict immutable as $$
begin
  if pg_catalog.trunc(start) <> start or pg_catalog.trunc(length) <> length or length < 0::float8 then
    return null;
  end if;
  return pg_catalog.substring(
    x, greatest(-1e9, least(1e9, start))::int, least(1e9, length)::int);
end $$;

-- 7.5: days are whole periods of 24 hours, ages whole years on the day of now.

create function oracle.now() returns timestamptz language sql immutable as $$
  select timestamptz '2026-03-01T10:00:00.123456Z'
$$;

create function oracle.days_between(a timestamptz, b timestamptz) returns float8
language sql strict immutable as $$
  select pg_catalog.floor(
    (extract(epoch from b) operator(pg_catalog.-) extract(epoch from a))
      operator(pg_catalog./) 86400)::float8
$$;

create function oracle.days_since(a timestamptz) returns float8 language sql strict immutable as $$
  select oracle.days_between(a, oracle.now())
$$;

create function oracle.minus(a date, b date) returns float8 language sql strict immutable as $$
  select (a operator(pg_catalog.-) b)::float8
$$;

create operator oracle.- (leftarg = date, rightarg = date, function = oracle.minus);

create function oracle.age(born date) returns float8 language sql strict immutable as $$
  select (
    extract(year from oracle.now() at time zone 'UTC') operator(pg_catalog.-) extract(year from born)
      operator(pg_catalog.-)
      case when to_char(oracle.now() at time zone 'UTC', 'MMDD') < to_char(born, 'MMDD')
        then 1 else 0 end)::float8
$$;

-- A version (SemVer 2.0) is the list of its identifiers, so written that bytes give their order;
-- what is no version is null.
create function oracle.version(x text) returns text[] language plpgsql strict immutable as $$
declare
  parts text[];
  result text[];
  part text;
begin
  parts := regexp_match(x,
    '^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)'
    '(?:-((?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)'
    '(?:\.(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?'
    '(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$');
  if parts is null then
    return null;
  end if;
  foreach part in array parts[1:3] loop
    result := result || ('0' || lpad(pg_catalog.length(part)::text, 9, '0') || part);
  end loop;
  if parts[4] is null then
    return result || '2'::text;
  end if;
  result := result || '1'::text;
  foreach part in array string_to_array(parts[4], '.') loop
    result := result || case
      when part ~ '^[0-9]+$' then '0' || lpad(pg_catalog.length(part)::text, 9, '0') || part
      else '1' || part
    end;
  end loop;
  return result;
end $$;

-- Choices are sets of option ids; a single one is text.

create function oracle.has(choice text[], option text) returns boolean
language sql strict immutable as $$
  select option = any (choice)
$$;

create function oracle.has(choice text, option text) returns boolean
language sql strict immutable as $$
  select choice = option
$$;

create function oracle.count(choice text[]) returns float8 language sql strict immutable as $$
  select (select pg_catalog.count(distinct option) from unnest(choice) as option)::float8
$$;

-- Bucket v1: the first 8 bytes of the MD5 of salt, colon and profile, modulo 100.
create function oracle.bucket(salt text, profile_id text) returns float8
language sql strict immutable as $$
  select mod(
    ('x' || substr(md5(salt || ':' || profile_id), 1, 8))::bit(32)::bigint::numeric
      operator(pg_catalog.*) 4294967296::numeric operator(pg_catalog.+)
      ('x' || substr(md5(salt || ':' || profile_id), 9, 8))::bit(32)::bigint::numeric,
    100)::float8
$$;
