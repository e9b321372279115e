-- How large each segment is, and who came and went.
create or replace function sluice.segment_sizes(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  segment text,
  rule text,
  split text,
  members bigint,
  share double precision,
  entered bigint,
  exited bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(segment_sizes.since, segment_sizes.zone);
  to_instant constant timestamptz := sluice.period_end(segment_sizes.until, segment_sizes.zone);
begin
  perform sluice.refuse_split('segment_sizes', segment_sizes.split_by);

  return query
  with declared as (
    select known.name, max(known.rule collate "C") as rule
    from (
      select rule.segment collate "C" as name, rule.text as rule
      from sluice.generations as generation
      cross join unnest(generation.segments, generation.segment_rules) as rule (segment, text)
      where generation.is_current
      union all
      select member.segment, null from sluice.segment_members as member
      union all
      select history.segment, null from sluice.segment_history as history
    ) as known
    group by known.name
  ),
  people as (
    select count(*) as n from sluice.reported_profiles
  ),
  now_in as (
    select member.segment as name, count(*) as n
    from sluice.segment_members as member
    join sluice.reported_profiles as reported on reported.profile_id = member.profile_id
    group by member.segment
  ),
  intervals as (
    select member.profile_id, member.segment as name, member.since as from_at, null::timestamptz as to_at
    from sluice.segment_members as member
    union all
    select history.profile_id, history.segment as name, history.from_at, history.to_at
    from sluice.segment_history as history
  ),
  moves as (
    select
      intervals.name,
      count(distinct intervals.profile_id) filter (
        where intervals.from_at >= from_instant and intervals.from_at < to_instant
      ) as came,
      count(distinct intervals.profile_id) filter (
        where intervals.to_at >= from_instant and intervals.to_at < to_instant
      ) as went
    from intervals
    join sluice.reported_profiles as reported on reported.profile_id = intervals.profile_id
    group by intervals.name
  )
  select
    declared.name,
    declared.rule,
    null::text,
    coalesce(now_in.n, 0),
    coalesce(now_in.n, 0) / nullif(people.n, 0)::double precision,
    sluice.shown_count(coalesce(moves.came, 0), segment_sizes.min_group),
    sluice.shown_count(coalesce(moves.went, 0), segment_sizes.min_group)
  from declared
  cross join people
  left join now_in on now_in.name = declared.name
  left join moves on moves.name = declared.name
  where sluice.shown_count(coalesce(now_in.n, 0), segment_sizes.min_group) is not null
  order by declared.name;
end
$$;

revoke execute on function sluice.segment_sizes(date, date, text, text, integer) from public;

comment on function sluice.segment_sizes(date, date, text, text, integer) is
  'One row per segment: the text of its rule (null where the pipeline no longer declares it), members now, their share of all profiles that reports count (0 to 1, null without profiles), and the different profiles that entered and left in the days from since (inclusive) until (exclusive) in the time zone; null days are open. With min_group, segments of 1 to min_group - 1 members are left out and so few moves are null. Grain: segment, split.';
