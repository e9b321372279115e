-- What the vendor's profiles and records say of access, and the store's messages that wait.

create table sluice.access_levels (
  profile_id text collate "C" not null,
  level text collate "C" not null,
  is_active boolean,
  is_lifetime boolean,
  is_refund boolean,
  is_in_grace_period boolean,
  has_billing_issue boolean not null,
  will_renew boolean,
  product_id text collate "C",
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
  said_at timestamptz not null,
  told_at timestamptz not null,
  primary key (profile_id, level)
);

comment on table sluice.access_levels is
  'One row per access level of a profile, by the newest of the vendor''s snapshots and records that speak of it; a level that the newest snapshot does not name has no row. Grain: profile_id, level.';
comment on column sluice.access_levels.profile_id is
  'The profile that has or had it.';
comment on column sluice.access_levels.level is
  'The level''s id in the vendor''s dashboard, e.g. premium.';
comment on column sluice.access_levels.is_active is
  'Whether it gives access at the instant that the job derived for; null when unknown: it expired, would renew, and nobody said since whether it did.';
comment on column sluice.access_levels.is_lifetime is
  'Whether it never expires, as the vendor said; null when it did not say.';
comment on column sluice.access_levels.is_refund is
  'Whether its purchase was refunded, as the vendor said; null when it did not say.';
comment on column sluice.access_levels.is_in_grace_period is
  'Whether the store was granting a billing grace period when the vendor said this; null when it did not say.';
comment on column sluice.access_levels.has_billing_issue is
  'True when a billing issue had been detected.';
comment on column sluice.access_levels.will_renew is
  'Whether it was to renew; null when the vendor did not say.';
comment on column sluice.access_levels.product_id is
  'The store''s id of the product that unlocked it; null when unknown.';
comment on column sluice.access_levels.store is
  'Where it was bought, e.g. app_store, play_store, adapty; null when unknown.';
comment on column sluice.access_levels.activated_at is
  'When it was first activated; null when unknown.';
comment on column sluice.access_levels.renewed_at is
  'When it was last renewed; null when it never was, or unknown.';
comment on column sluice.access_levels.starts_at is
  'When it begins or began, where it was set up ahead; null otherwise.';
comment on column sluice.access_levels.expires_at is
  'When it expires or expired; null for a lifetime, or unknown.';
comment on column sluice.access_levels.unsubscribed_at is
  'When renewal was switched off; null when it was not, or unknown.';
comment on column sluice.access_levels.billing_issue_detected_at is
  'When a billing issue was detected; null when none is known.';
comment on column sluice.access_levels.introductory_offer_type is
  'The introductory offer of the current period: free_trial, pay_as_you_go, pay_up_front; null when none.';
comment on column sluice.access_levels.promotional_offer_type is
  'The promotional offer of the current period, as introductory_offer_type; null when none.';
comment on column sluice.access_levels.promotional_offer_id is
  'The store''s id of that promotional offer; null when none.';
comment on column sluice.access_levels.offer_id is
  'The id of the offer on Google Play; null when none.';
comment on column sluice.access_levels.cancellation_reason is
  'Why it was cancelled, e.g. voluntarily_cancelled, billing_error, refund; null when it was not, or unknown.';
comment on column sluice.access_levels.is_said_active is
  'Whether the vendor called it active at said_at; null when it did not say.';
comment on column sluice.access_levels.said_at is
  'How new the snapshot is: its own timestamp, or the time of the event where it has none.';
comment on column sluice.access_levels.told_at is
  'Time of the event that told it.';

create table sluice.profile_subscriptions (
  profile_id text collate "C" not null,
  state text collate "C",
  told_at timestamptz not null,
  primary key (profile_id)
);

comment on table sluice.profile_subscriptions is
  'One row per profile of which the vendor said something of access or purchases. Grain: profile_id.';
comment on column sluice.profile_subscriptions.profile_id is
  'The profile.';
comment on column sluice.profile_subscriptions.state is
  'subscribed, active_trial, grace_period, billing_issue, auto_renew_off, trial_cancelled, cancelled or never_subscribed at the instant that the job derived for; null when unknown.';
comment on column sluice.profile_subscriptions.told_at is
  'Time of the event that said something of it last.';

create table sluice.store_messages (
  profile_id text collate "C" not null,
  message_type text collate "C" not null,
  message_number integer not null,
  session_id text collate "C",
  queued_at timestamptz,
  shown_at timestamptz,
  ended_at timestamptz,
  failed_attempts integer not null,
  last_failed_at timestamptz,
  last_error_code integer,
  last_error text collate "C",
  is_pending boolean not null,
  primary key (profile_id, message_type, message_number)
);

comment on table sluice.store_messages is
  'One row per stay of a store message in an app''s queue. Grain: profile_id, message_type, message_number.';
comment on column sluice.store_messages.profile_id is
  'The profile whose app queued it.';
comment on column sluice.store_messages.message_type is
  'billing_issue, price_increase_consent, win_back_offer, generic, or storekit_ and a number for what the SDK does not know.';
comment on column sluice.store_messages.message_number is
  'Number among the profile''s messages of this type, counted from 1.';
comment on column sluice.store_messages.session_id is
  'The app session that had it; null where its events named none.';
comment on column sluice.store_messages.queued_at is
  'When it was queued; null where only what came of it was seen.';
comment on column sluice.store_messages.shown_at is
  'When it was shown; null when it was not.';
comment on column sluice.store_messages.ended_at is
  'When a later app session began without it; null while it waits and when it was shown.';
comment on column sluice.store_messages.failed_attempts is
  'How often showing it failed.';
comment on column sluice.store_messages.last_failed_at is
  'When showing it failed last; null when it never did.';
comment on column sluice.store_messages.last_error_code is
  'The SDK''s number of that failure; null when unknown.';
comment on column sluice.store_messages.last_error is
  'That failure''s name, e.g. operationInProgress (3201), resolverFailure (3202), operationInterrupted (9000); null when unknown.';
comment on column sluice.store_messages.is_pending is
  'True while it waits to be shown, at the instant that the job derived for.';
