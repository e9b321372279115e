-- Where people drop off. One path per person: of the runs that started in the period, the one with most screens.
create or replace function sluice.funnel(
  since date default null,
  until date default null,
  zone text default null,
  split_by text default null,
  min_group integer default 0
)
returns table (
  flow text,
  split text,
  step integer,
  screen_id text,
  entered bigint,
  reached bigint,
  reached_share double precision,
  conversion_from_previous double precision,
  dropped bigint,
  drop_rate double precision,
  median_seconds double precision,
  completed bigint
)
language plpgsql
stable
security definer
set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
  from_instant constant timestamptz := sluice.period_start(funnel.since, funnel.zone);
  to_instant constant timestamptz := sluice.period_end(funnel.until, funnel.zone);
begin
  perform sluice.refuse_split('funnel', funnel.split_by);

  return query
  with paths as (
    -- Between runs of equal length a completed one speaks, then the earliest.
    select distinct on (run.profile_id, run.flow)
      run.flow as name,
      run.screens as length,
      run.completed as is_completed,
      run.path_screens,
      run.path_spent_ms
    from sluice.flow_runs as run
    join sluice.reported_profiles as reported on reported.profile_id = run.profile_id
    where run.started_at >= from_instant
      and run.started_at < to_instant
      and run.screens > 0
    order by run.profile_id, run.flow, run.screens desc, run.completed desc, run.started_at, run.run_id
  ),
  flows as (
    select
      paths.name,
      count(*) as people,
      count(*) filter (where paths.is_completed) as finished
    from paths
    group by paths.name
  ),
  steps as (
    select
      paths.name,
      place.position::integer as position,
      mode() within group (order by place.screen) as most_seen,
      count(*) as people,
      count(*) filter (where place.position = paths.length and not paths.is_completed) as ended,
      percentile_cont(0.5) within group (order by place.spent_ms / 1000.0::double precision)
        as median
    from paths
    cross join lateral unnest(paths.path_screens, paths.path_spent_ms)
      with ordinality as place (screen, spent_ms, position)
    group by paths.name, place.position
  )
  select
    steps.name,
    null::text,
    steps.position,
    steps.most_seen,
    flows.people,
    steps.people,
    steps.people / flows.people::double precision,
    steps.people
      / lag(steps.people) over (partition by steps.name order by steps.position)::double precision,
    sluice.shown_count(steps.ended, funnel.min_group),
    sluice.shown_count(steps.ended, funnel.min_group) / steps.people::double precision,
    steps.median,
    sluice.shown_count(flows.finished, funnel.min_group)
  from steps
  join flows on flows.name = steps.name
  where sluice.shown_count(steps.people, funnel.min_group) is not null
  order by steps.name, steps.position;
end
$$;

revoke execute on function sluice.funnel(date, date, text, text, integer) from public;

comment on function sluice.funnel(date, date, text, text, integer) is
  'One row per flow and step (place on a person''s path): entered and completed are people of the whole flow; reached and dropped (path ended here, no last screen shown) are people at the step; shares and rates 0 to 1; median_seconds on the screen where known; screen_id is the most seen at that place. Counts runs that started in the days from since (inclusive) until (exclusive) in the time zone; null days are open. With min_group, steps that 1 to min_group - 1 people reached are left out and other counts so small are null. Grain: flow, split, step.';
