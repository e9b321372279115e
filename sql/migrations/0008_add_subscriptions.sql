-- What the vendor's profiles list of subscriptions and single purchases; and which purchases are tests.

create table sluice.subscriptions (
  profile_id text collate "C" not null,
  product_id text collate "C" not null,
  subscription_number integer not null,
  is_active boolean,
  is_lifetime boolean,
  is_refund boolean,
  is_in_grace_period boolean,
  has_billing_issue boolean not null,
  will_renew boolean,
  store text collate "C",
  activated_at timestamptz,
  renewed_at timestamptz,
  starts_at timestamptz,
  expires_at timestamptz,
  unsubscribed_at timestamptz,
  billing_issue_detected_at timestamptz,
  introductory_offer_type text collate "C",
  promotional_offer_type text collate "C",
  promotional_offer_id text collate "C",
  offer_id text collate "C",
  cancellation_reason text collate "C",
  is_said_active boolean,
  transaction_id text collate "C",
  original_transaction_id text collate "C",
  is_sandbox boolean,
  billing_plan_id text collate "C",
  commitment_period_number integer,
  commitment_periods integer,
  commitment_expires_at timestamptz,
  said_at timestamptz not null,
  told_at timestamptz not null,
  primary key (profile_id, product_id, subscription_number)
);

comment on table sluice.subscriptions is
  'One row per subscription of a profile, by the newest of the vendor''s snapshots that list them and of newer records; what the newest snapshot does not list has no row. Grain: profile_id, product_id, subscription_number.';
comment on column sluice.subscriptions.profile_id is
  'The profile that has or had it.';
comment on column sluice.subscriptions.product_id is
  'The store''s id of the product; empty where a record names none.';
comment on column sluice.subscriptions.subscription_number is
  'Number among the profile''s subscriptions of this product, counted from 1: a list may hold several, a map holds one.';
comment on column sluice.subscriptions.is_active is
  'Whether it gives access at the instant that the job derived for; null when unknown: it expired, would renew, and nobody said since whether it did.';
comment on column sluice.subscriptions.is_lifetime is
  'Whether it never expires, as the vendor said; null when it did not say.';
comment on column sluice.subscriptions.is_refund is
  'Whether it was refunded, as the vendor said; null when it did not say.';
comment on column sluice.subscriptions.is_in_grace_period is
  'Whether the store was granting a billing grace period when the vendor said this; null when it did not say.';
comment on column sluice.subscriptions.has_billing_issue is
  'True when a billing issue had been detected.';
comment on column sluice.subscriptions.will_renew is
  'Whether it was to renew; null when the vendor did not say.';
comment on column sluice.subscriptions.store is
  'Where it was bought, e.g. app_store, play_store, adapty; null when unknown.';
comment on column sluice.subscriptions.activated_at is
  'When it was first activated; null when unknown.';
comment on column sluice.subscriptions.renewed_at is
  'When it was last renewed; null when it never was, or unknown.';
comment on column sluice.subscriptions.starts_at is
  'When it begins or began, where it was set up ahead; null otherwise.';
comment on column sluice.subscriptions.expires_at is
  'When it expires or expired; null for a lifetime, or unknown.';
comment on column sluice.subscriptions.unsubscribed_at is
  'When renewal was switched off; null when it was not, or unknown.';
comment on column sluice.subscriptions.billing_issue_detected_at is
  'When a billing issue was detected; null when none is known.';
comment on column sluice.subscriptions.introductory_offer_type is
  'The introductory offer of the current period: free_trial, pay_as_you_go, pay_up_front; null when none.';
comment on column sluice.subscriptions.promotional_offer_type is
  'The promotional offer of the current period, as introductory_offer_type; null when none.';
comment on column sluice.subscriptions.promotional_offer_id is
  'The store''s id of that promotional offer; null when none.';
comment on column sluice.subscriptions.offer_id is
  'The id of the offer on Google Play; null when none.';
comment on column sluice.subscriptions.cancellation_reason is
  'Why it was cancelled, e.g. voluntarily_cancelled, billing_error, refund; null when it was not, or unknown.';
comment on column sluice.subscriptions.is_said_active is
  'Whether the vendor called it active at said_at; null when it did not say.';
comment on column sluice.subscriptions.transaction_id is
  'The store''s id of its latest transaction; null when unknown.';
comment on column sluice.subscriptions.original_transaction_id is
  'The store''s id of its first transaction; null when unknown.';
comment on column sluice.subscriptions.is_sandbox is
  'Whether it was bought in a store''s sandbox, for which nobody paid; null when unknown.';
comment on column sluice.subscriptions.billing_plan_id is
  'How it is paid for, where the store has several ways; null where the vendor did not say (up front).';
comment on column sluice.subscriptions.commitment_period_number is
  'Of the billing periods that were promised, the number of the current one, counted from 1; null without a promise.';
comment on column sluice.subscriptions.commitment_periods is
  'How many billing periods were promised; null without a promise.';
comment on column sluice.subscriptions.commitment_expires_at is
  'When the promise ends; null without one.';
comment on column sluice.subscriptions.said_at is
  'How new the word on it is: the snapshot''s own timestamp, or the time of the event where it has none.';
comment on column sluice.subscriptions.told_at is
  'Time of the event that told it.';

create table sluice.non_subscriptions (
  profile_id text collate "C" not null,
  purchase_id text collate "C" not null,
  product_id text collate "C" not null,
  store text collate "C",
  transaction_id text collate "C",
  purchased_at timestamptz,
  is_sandbox boolean,
  is_refund boolean,
  is_consumable boolean,
  said_at timestamptz not null,
  told_at timestamptz not null,
  primary key (profile_id, purchase_id)
);

comment on table sluice.non_subscriptions is
  'One row per single purchase that the newest of the vendor''s snapshots lists for a profile. Grain: profile_id, purchase_id.';
comment on column sluice.non_subscriptions.profile_id is
  'The profile that bought it.';
comment on column sluice.non_subscriptions.purchase_id is
  'The vendor''s id of the purchase, else the store''s transaction id; where there is neither, the product, a slash and a number.';
comment on column sluice.non_subscriptions.product_id is
  'The store''s id of the product.';
comment on column sluice.non_subscriptions.store is
  'Where it was bought, e.g. app_store, play_store, adapty; null when unknown.';
comment on column sluice.non_subscriptions.transaction_id is
  'The store''s id of the transaction; null when unknown.';
comment on column sluice.non_subscriptions.purchased_at is
  'When it was bought; null when unknown.';
comment on column sluice.non_subscriptions.is_sandbox is
  'Whether it was bought in a store''s sandbox, for which nobody paid; null when unknown.';
comment on column sluice.non_subscriptions.is_refund is
  'Whether it was refunded; null when the vendor did not say.';
comment on column sluice.non_subscriptions.is_consumable is
  'Whether it is used up, so that it may be bought again; null when the vendor did not say.';
comment on column sluice.non_subscriptions.said_at is
  'How new the word on it is: the snapshot''s own timestamp, or the time of the event where it has none.';
comment on column sluice.non_subscriptions.told_at is
  'Time of the event that told it.';

-- Rows of jobs before this one are derived anew by the next job.
alter table sluice.purchases add column is_sandbox boolean not null default false;
alter table sluice.store_transactions add column is_sandbox boolean not null default false;

comment on column sluice.purchases.is_sandbox is
  'Whether it was bought in a store''s sandbox or in Xcode, by its environment: nobody paid, whatever amounts stand beside it.';
comment on column sluice.store_transactions.is_sandbox is
  'Whether it is one of a store''s sandbox or of Xcode, by its environment: nobody paid.';
comment on column sluice.flow_errors.kind is
  'Canonical name of the event: purchase_failed, restore_failed, error_received, rendering_failed, product_loading_failed, products_partially_loaded, web_payment_failed, web_payment_finished (with an error), store_message_failed (which no flow reports, the app does).';
