-- Purchases, restores, errors and exposures: what follows from the callbacks of flows and paywalls and
-- from the records of the vendor's feeds.

alter table sluice.flow_runs
  add column audience_name text collate "C",
  add column audience_version_id text collate "C";

comment on column sluice.flow_runs.audience_name is
  'The audience for which the placement showed it; null when unknown.';
comment on column sluice.flow_runs.audience_version_id is
  'The vendor''s id of the audience''s version; null when unknown.';

create table sluice.purchases (
  profile_id text collate "C" not null,
  purchase_id text collate "C" not null,
  outcome text collate "C" not null,
  app_outcome text collate "C",
  channel text collate "C" not null,
  source text collate "C" not null,
  matched_by text collate "C",
  started_at timestamptz,
  finished_at timestamptz,
  recorded_at timestamptz,
  purchased_at timestamptz,
  product_id text collate "C",
  price double precision,
  price_currency text collate "C",
  revenue_local double precision,
  revenue_currency text collate "C",
  revenue_usd double precision,
  total_usd double precision,
  renewals integer not null,
  refunded_at timestamptz,
  store text collate "C",
  environment text collate "C",
  transaction_id text collate "C",
  original_transaction_id text collate "C",
  error_code text collate "C",
  error_name text collate "C",
  run_id text collate "C",
  session_id text collate "C",
  placement_id text collate "C",
  flow_id text collate "C",
  variation_id text collate "C",
  audience_name text collate "C",
  audience_version_id text collate "C",
  platform text collate "C",
  app_version text collate "C",
  country text collate "C",
  primary key (profile_id, purchase_id)
);

comment on table sluice.purchases is
  'One row per attempt to buy something and what came of it, and per purchase that only the vendor''s feed tells of. A restore and a renewal are none; a transaction counts once. Grain: profile_id, purchase_id.';
comment on column sluice.purchases.profile_id is
  'The profile that tried.';
comment on column sluice.purchases.purchase_id is
  '32 hex digits that follow from the profile and the first event.';
comment on column sluice.purchases.outcome is
  'success; pending (waits for an approval, or for a payment in the browser); cancelled; failed; started (nothing tells how it ended); repeated (a transaction that counts already). A record of the vendor''s feed makes it success.';
comment on column sluice.purchases.app_outcome is
  'What the app''s own events say; null where only a record tells of it.';
comment on column sluice.purchases.channel is
  'store, or web for a payment in the browser.';
comment on column sluice.purchases.source is
  'Whose events tell of it: app, record, or both.';
comment on column sluice.purchases.matched_by is
  'How the app''s events and the record were found to be one purchase: transaction (same id), original_transaction (same subscription), product_and_time (same product within 24 hours); null where there is one side.';
comment on column sluice.purchases.started_at is
  'When the app said that it began; null when it did not.';
comment on column sluice.purchases.finished_at is
  'When the app said how it ended; null when it did not.';
comment on column sluice.purchases.recorded_at is
  'Time of the first record of its transaction; null without a record.';
comment on column sluice.purchases.purchased_at is
  'When it came to be a purchase; null unless outcome is success.';
comment on column sluice.purchases.product_id is
  'The store''s id of the product; null when unknown.';
comment on column sluice.purchases.price is
  'What the app asked for, in units of price_currency; it may begin with a trial, so it is not what was paid.';
comment on column sluice.purchases.price_currency is
  'Currency of price, three capital letters; null when unknown.';
comment on column sluice.purchases.revenue_local is
  'What its own transaction brought, before refunds, in units of revenue_currency, as the record says; 0 for a trial; null when unknown.';
comment on column sluice.purchases.revenue_currency is
  'Currency of revenue_local, three capital letters; null when unknown.';
comment on column sluice.purchases.revenue_usd is
  'What its own transaction brought, before refunds, in US dollars, as the record says; null when unknown.';
comment on column sluice.purchases.total_usd is
  'What its transaction and the renewals that followed brought, less refunds, in US dollars; null when nothing of it is known.';
comment on column sluice.purchases.renewals is
  'Transactions by which the store charged again for it.';
comment on column sluice.purchases.refunded_at is
  'When its own transaction was refunded; null when it was not.';
comment on column sluice.purchases.store is
  'The store as the record names it; null without a record.';
comment on column sluice.purchases.environment is
  'The environment as the record names it, else as the app''s events do, e.g. Production or Sandbox; null when unknown.';
comment on column sluice.purchases.transaction_id is
  'The store''s id of its transaction; a made-up one where the record has none; null when unknown.';
comment on column sluice.purchases.original_transaction_id is
  'The store''s id of the first transaction of its subscription; null when unknown.';
comment on column sluice.purchases.error_code is
  'Code of the error, as received; null without an error.';
comment on column sluice.purchases.error_name is
  'The vendor''s name for the code on the platform; null when it has none.';
comment on column sluice.purchases.run_id is
  'The run in flow_runs that was open; null outside of any.';
comment on column sluice.purchases.session_id is
  'The session that the events named; null where they named none.';
comment on column sluice.purchases.placement_id is
  'The placement: of the app''s events, else of the run, else of the record; null when unknown.';
comment on column sluice.purchases.flow_id is
  'The vendor''s flow id; null when unknown.';
comment on column sluice.purchases.variation_id is
  'The variation that was shown; null when unknown.';
comment on column sluice.purchases.audience_name is
  'The audience; null when unknown.';
comment on column sluice.purchases.audience_version_id is
  'The vendor''s id of the audience''s version; null when unknown.';
comment on column sluice.purchases.platform is
  'The platform; null when unknown.';
comment on column sluice.purchases.app_version is
  'Version of the app; null when unknown.';
comment on column sluice.purchases.country is
  'The country; null when unknown.';

create table sluice.store_transactions (
  profile_id text collate "C" not null,
  transaction_id text collate "C" not null,
  original_transaction_id text collate "C",
  kind text collate "C" not null,
  recorded_at timestamptz not null,
  purchased_at timestamptz not null,
  product_id text collate "C",
  store text collate "C",
  environment text collate "C",
  currency text collate "C",
  revenue_local double precision,
  revenue_usd double precision,
  refunded_at timestamptz,
  refunded_local double precision,
  refunded_usd double precision,
  purchase_id text collate "C",
  primary key (profile_id, transaction_id)
);

comment on table sluice.store_transactions is
  'One row per transaction that the vendor''s webhook or export tells of, whatever number of records told of it. Grain: profile_id, transaction_id.';
comment on column sluice.store_transactions.profile_id is
  'The profile that paid.';
comment on column sluice.store_transactions.transaction_id is
  'The store''s id; 32 hex digits that follow from the record where the feed has none.';
comment on column sluice.store_transactions.original_transaction_id is
  'The store''s id of the first transaction of the subscription; null where the feed has none.';
comment on column sluice.store_transactions.kind is
  'subscription, trial, single (no subscription); renewal and conversion (of a trial), by which the store charges and nobody buys; unknown (only its refund is known).';
comment on column sluice.store_transactions.recorded_at is
  'Time of its first record.';
comment on column sluice.store_transactions.purchased_at is
  'The store''s own time of it, else that of the first record.';
comment on column sluice.store_transactions.product_id is
  'The store''s id of the product; null when unknown.';
comment on column sluice.store_transactions.store is
  'The store as the record names it; null when unknown.';
comment on column sluice.store_transactions.environment is
  'The environment as the record names it, e.g. Production or Sandbox; null when unknown.';
comment on column sluice.store_transactions.currency is
  'Currency of revenue_local and refunded_local, three capital letters; null when unknown.';
comment on column sluice.store_transactions.revenue_local is
  'What it brought before refunds, in units of its currency; 0 for a trial; null when unknown.';
comment on column sluice.store_transactions.revenue_usd is
  'What it brought before refunds, in US dollars; null when unknown.';
comment on column sluice.store_transactions.refunded_at is
  'When it was refunded; null when it was not.';
comment on column sluice.store_transactions.refunded_local is
  'What was given back, in units of its currency; null when nothing was, or unknown.';
comment on column sluice.store_transactions.refunded_usd is
  'What was given back, in US dollars; null when nothing was, or unknown.';
comment on column sluice.store_transactions.purchase_id is
  'The purchase that it began or charged for again; null when that is not known.';

create table sluice.product_selections (
  profile_id text collate "C" not null,
  selection_id text collate "C" not null,
  product_id text collate "C",
  first_at timestamptz not null,
  times integer not null,
  run_id text collate "C",
  session_id text collate "C",
  placement_id text collate "C",
  flow_id text collate "C",
  variation_id text collate "C",
  audience_name text collate "C",
  audience_version_id text collate "C",
  platform text collate "C",
  app_version text collate "C",
  country text collate "C",
  primary key (profile_id, selection_id)
);

comment on table sluice.product_selections is
  'One row per product that was selected in a run, by a person or by default. Grain: profile_id, selection_id.';
comment on column sluice.product_selections.profile_id is
  'The profile that selected.';
comment on column sluice.product_selections.selection_id is
  '32 hex digits that follow from the profile and the first event.';
comment on column sluice.product_selections.product_id is
  'The store''s id of the product; null when unknown.';
comment on column sluice.product_selections.first_at is
  'When it was first selected in the run.';
comment on column sluice.product_selections.times is
  'How often it was selected in the run.';
comment on column sluice.product_selections.run_id is
  'The run in flow_runs that was open; null outside of any.';
comment on column sluice.product_selections.session_id is
  'The session that the events named; null where they named none.';
comment on column sluice.product_selections.placement_id is
  'The placement: of the events, else of the run; null when unknown.';
comment on column sluice.product_selections.flow_id is
  'The vendor''s flow id; null when unknown.';
comment on column sluice.product_selections.variation_id is
  'The variation that was shown; null when unknown.';
comment on column sluice.product_selections.audience_name is
  'The audience; null when unknown.';
comment on column sluice.product_selections.audience_version_id is
  'The vendor''s id of the audience''s version; null when unknown.';
comment on column sluice.product_selections.platform is
  'The platform; null when unknown.';
comment on column sluice.product_selections.app_version is
  'Version of the app; null when unknown.';
comment on column sluice.product_selections.country is
  'The country; null when unknown.';

create table sluice.restores (
  profile_id text collate "C" not null,
  restore_id text collate "C" not null,
  outcome text collate "C" not null,
  started_at timestamptz,
  finished_at timestamptz,
  has_access boolean,
  error_code text collate "C",
  error_name text collate "C",
  run_id text collate "C",
  session_id text collate "C",
  placement_id text collate "C",
  flow_id text collate "C",
  variation_id text collate "C",
  audience_name text collate "C",
  audience_version_id text collate "C",
  platform text collate "C",
  app_version text collate "C",
  country text collate "C",
  primary key (profile_id, restore_id)
);

comment on table sluice.restores is
  'One row per attempt to restore earlier purchases. Grain: profile_id, restore_id.';
comment on column sluice.restores.profile_id is
  'The profile that tried.';
comment on column sluice.restores.restore_id is
  '32 hex digits that follow from the profile and the first event.';
comment on column sluice.restores.outcome is
  'success, failed, or started (nothing tells how it ended).';
comment on column sluice.restores.started_at is
  'When it began; null when no event said so.';
comment on column sluice.restores.finished_at is
  'When it ended; null when no event said so.';
comment on column sluice.restores.has_access is
  'Whether the restored profile had an active access level; null where no profile came along.';
comment on column sluice.restores.error_code is
  'Code of the error, as received; null without an error.';
comment on column sluice.restores.error_name is
  'The vendor''s name for the code on the platform; null when it has none.';
comment on column sluice.restores.run_id is
  'The run in flow_runs that was open; null outside of any.';
comment on column sluice.restores.session_id is
  'The session that the events named; null where they named none.';
comment on column sluice.restores.placement_id is
  'The placement: of the events, else of the run; null when unknown.';
comment on column sluice.restores.flow_id is
  'The vendor''s flow id; null when unknown.';
comment on column sluice.restores.variation_id is
  'The variation that was shown; null when unknown.';
comment on column sluice.restores.audience_name is
  'The audience; null when unknown.';
comment on column sluice.restores.audience_version_id is
  'The vendor''s id of the audience''s version; null when unknown.';
comment on column sluice.restores.platform is
  'The platform; null when unknown.';
comment on column sluice.restores.app_version is
  'Version of the app; null when unknown.';
comment on column sluice.restores.country is
  'The country; null when unknown.';

create table sluice.flow_errors (
  profile_id text collate "C" not null,
  error_id text collate "C" not null,
  kind text collate "C" not null,
  occurred_at timestamptz not null,
  code text collate "C",
  code_name text collate "C",
  product_id text collate "C",
  failed_product_ids text[] collate "C" not null,
  is_retried boolean,
  run_id text collate "C",
  session_id text collate "C",
  placement_id text collate "C",
  flow_id text collate "C",
  variation_id text collate "C",
  audience_name text collate "C",
  audience_version_id text collate "C",
  platform text collate "C",
  app_version text collate "C",
  country text collate "C",
  primary key (profile_id, error_id)
);

comment on table sluice.flow_errors is
  'One row per error that a flow or paywall reported; the words of errors are not kept, they may be personal. Grain: profile_id, error_id.';
comment on column sluice.flow_errors.profile_id is
  'The profile that met it.';
comment on column sluice.flow_errors.error_id is
  '32 hex digits that follow from the profile and the event.';
comment on column sluice.flow_errors.kind is
  'Canonical name of the event: purchase_failed, restore_failed, error_received, rendering_failed, product_loading_failed, products_partially_loaded, web_payment_failed, web_payment_finished (with an error).';
comment on column sluice.flow_errors.occurred_at is
  'When it was reported.';
comment on column sluice.flow_errors.code is
  'Its code as received, digits or a name; null when it could not be read.';
comment on column sluice.flow_errors.code_name is
  'The vendor''s name for the code on this platform (a number means other things on others); null when it has none.';
comment on column sluice.flow_errors.product_id is
  'The product it was about; null when unknown.';
comment on column sluice.flow_errors.failed_product_ids is
  'Products that could not be loaded; empty when none are named.';
comment on column sluice.flow_errors.is_retried is
  'Whether the app asked to try again; null when nothing tells.';
comment on column sluice.flow_errors.run_id is
  'The run in flow_runs that was open; null outside of any.';
comment on column sluice.flow_errors.session_id is
  'The session that the event named; null where it named none.';
comment on column sluice.flow_errors.placement_id is
  'The placement: of the event, else of the run; null when unknown.';
comment on column sluice.flow_errors.flow_id is
  'The vendor''s flow id; null when unknown.';
comment on column sluice.flow_errors.variation_id is
  'The variation that was shown; null when unknown.';
comment on column sluice.flow_errors.audience_name is
  'The audience; null when unknown.';
comment on column sluice.flow_errors.audience_version_id is
  'The vendor''s id of the audience''s version; null when unknown.';
comment on column sluice.flow_errors.platform is
  'The platform; null when unknown.';
comment on column sluice.flow_errors.app_version is
  'Version of the app; null when unknown.';
comment on column sluice.flow_errors.country is
  'The country; null when unknown.';

create table sluice.exposures (
  profile_id text collate "C" not null,
  placement_id text collate "C" not null,
  variation_id text collate "C" not null,
  audience_version_id text collate "C",
  flow_id text collate "C",
  first_at timestamptz not null,
  variations integer not null,
  has_several boolean not null,
  primary key (profile_id, placement_id)
);

comment on table sluice.exposures is
  'One row per placement of which a profile met a variation, as the events of its phone tell. Grain: profile_id, placement_id.';
comment on column sluice.exposures.profile_id is
  'The profile that met it.';
comment on column sluice.exposures.placement_id is
  'The placement.';
comment on column sluice.exposures.variation_id is
  'The variation that was met first.';
comment on column sluice.exposures.audience_version_id is
  'The vendor''s id of the audience''s version then; null when unknown.';
comment on column sluice.exposures.flow_id is
  'The vendor''s flow id then; null when unknown.';
comment on column sluice.exposures.first_at is
  'When it was first met.';
comment on column sluice.exposures.variations is
  'Different variations of the placement that were met.';
comment on column sluice.exposures.has_several is
  'Whether more than one was: such people tell nothing about one variation.';
