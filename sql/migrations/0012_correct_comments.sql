-- Comments that promised other values than the columns hold.

comment on column sluice.profiles.platform is
  'Latest known platform, e.g. iOS or Android; null when unknown.';
comment on column sluice.placement_decisions.variation_source is
  'observed in the person''s own events, forced by an event, or predicted by the draw, which can be an arm that shows nothing; null where no variation is known or none is declared.';
