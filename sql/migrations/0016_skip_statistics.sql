-- Columns that no query looks rows up by: their statistics took most of an `analyze`, the server's own too.

alter table sluice.flow_runs
  alter column answers set statistics 0,
  alter column path_screens set statistics 0,
  alter column path_order set statistics 0,
  alter column path_is_last set statistics 0,
  alter column path_at_ms set statistics 0,
  alter column path_spent_ms set statistics 0,
  alter column path_views set statistics 0;

alter table sluice.profiles
  alter column next_store_messages set statistics 0,
  alter column missing_keys set statistics 0,
  alter column missing_reasons set statistics 0,
  alter column missing_since set statistics 0,
  alter column missing_run_ids set statistics 0,
  alter column overfull_sessions set statistics 0,
  alter column overfull_session_runs set statistics 0;

alter table sluice.profile_events
  alter column events set statistics 0,
  alter column digest set statistics 0;
