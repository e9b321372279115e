-- Links that unite nobody, since a person of more than 32 ids would be several people.
create or replace view sluice.quarantined_links as
select
  link.profile_id,
  link.from_id,
  link.into_id,
  link.origin
from sluice.profile_links as link
where exists (
  select from sluice.ununited_profiles as alone where alone.profile_id = link.from_id
);

comment on view sluice.quarantined_links is
  'One row per link that is not followed. Grain: profile_id, from_id, into_id, origin.';
comment on column sluice.quarantined_links.profile_id is
  'The id under which the event that says so arrived.';
comment on column sluice.quarantined_links.from_id is
  'Of a merge, the id that was given up; else the profile that carries the other id.';
comment on column sluice.quarantined_links.into_id is
  'Of a merge, the id that goes on; else the carried id with its tool''s prefix.';
comment on column sluice.quarantined_links.origin is
  'profile_merged, customer_user_id or integration_ids.';
