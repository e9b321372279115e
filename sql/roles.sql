-- Who may do what. Applied by `sluice migrate --roles`, as often as one likes; for a schema of another
-- name its name stands where `sluice` stands here. None of the roles can log in: grant them to users.
--
--   sluice_writer   runs jobs and privacy commands under the pipeline file in force. Migrations and new
--                   pipeline files need the owner of the schema.
--   sluice_analyst  rows of single people without what they answered: no answers, attributes, tags,
--                   events, customer ids and other ids of a person
--   sluice_reports  the reports, which count people
--   sluice_app      what one person sees next

do $$
declare
  role text;
begin
  foreach role in array array['sluice_writer', 'sluice_analyst', 'sluice_reports', 'sluice_app'] loop
    if not exists (select from pg_catalog.pg_roles as known where known.rolname = role) then
      execute format('create role %I nologin', role);
    end if;
  end loop;
end
$$;

revoke all on all tables in schema sluice
  from sluice_writer, sluice_analyst, sluice_reports, sluice_app;
revoke all on all functions in schema sluice
  from sluice_writer, sluice_analyst, sluice_reports, sluice_app;
grant usage on schema sluice to sluice_writer, sluice_analyst, sluice_reports, sluice_app;

-- The writer.
grant select, insert, update, delete on all tables in schema sluice to sluice_writer;
-- These only the owner changes; and nobody but the owner takes an erasure or an expiry back.
revoke insert, update, delete on sluice.schema_migrations, sluice.generations, sluice.erasure_key
  from sluice_writer;
revoke update, delete on sluice.erasures, sluice.retention_floors from sluice_writer;

-- The analyst.
grant select on
  sluice.access_levels,
  sluice.corrected_clocks,
  sluice.event_sources,
  sluice.exposures,
  sluice.flow_errors,
  sluice.generations,
  sluice.job_runs,
  sluice.missing_attributes,
  sluice.non_subscriptions,
  sluice.product_selections,
  sluice.profile_subscriptions,
  sluice.purchases,
  sluice.quarantined_profiles,
  sluice.quarantined_sessions,
  sluice.reported_profiles,
  sluice.restores,
  sluice.screen_views,
  sluice.segment_history,
  sluice.segment_intervals,
  sluice.segment_members,
  sluice.store_messages,
  sluice.store_transactions,
  sluice.subscriptions,
  sluice.unknown_names
to sluice_analyst;
grant select (
  profile_id, shard, events, events_ahead, first_event_at, last_event_at, platform, app_version,
  os_version, device, locale, time_zone, country, store_country, environment, is_test_user,
  installed_at, next_review_at, next_placement_id, next_because, next_store_messages, missing_keys,
  missing_reasons, missing_since, missing_run_ids, events_corrected,
  overfull_sessions, overfull_session_runs
) on sluice.profiles to sluice_analyst;
grant select (
  profile_id, run_id, session_id, run_number, flow, placement_id, flow_id, flow_version_id,
  variation_id, platform, app_version, country, started_at, ended_at, last_event_at, completed,
  completed_at, last_screen_id, screens, path_screens, path_order, path_is_last, path_at_ms,
  path_spent_ms, path_views, audience_name, audience_version_id, clock_ahead_ms
) on sluice.flow_runs to sluice_analyst;
grant select (
  profile_id, placement_id, audience, audience_version_id, flow_id, variation_id, variation_source,
  variation_reason
) on sluice.placement_decisions to sluice_analyst;
grant select (
  profile_id, placement_id, audience, audience_version_id, flow_id, variation_id, variation_source,
  variation_reason, store_messages, because, review_at
) on sluice.next_placements to sluice_analyst;

-- The reports, and whose days they count.
grant execute on function
  sluice.segment_sizes(date, date, text, text, integer),
  sluice.funnel(date, date, text, text, integer),
  sluice.purchase_funnel(date, date, text, text, integer),
  sluice.error_counts(date, date, text, text, integer),
  sluice.product_loading_failures(date, date, text, text, integer),
  sluice.restore_counts(date, date, text, text, integer),
  sluice.subscription_states(date, date, text, text, integer),
  sluice.store_message_counts(date, date, text, text, integer)
to sluice_analyst, sluice_reports, sluice_writer;
-- It tells of single profiles.
grant execute on function sluice.quarantine(date, date, text, text, integer)
  to sluice_analyst, sluice_writer;

-- The app.
grant execute on function sluice.next_placement(text) to sluice_app;
