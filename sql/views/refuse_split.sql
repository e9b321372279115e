-- What reports do with a split that they have not got.
create or replace function sluice.refuse_split(report text, split_by text)
returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
  if refuse_split.split_by is not null then
    raise exception '% cannot be split yet', refuse_split.report
      using errcode = 'feature_not_supported', hint = 'Leave split_by null.';
  end if;
end
$$;

comment on function sluice.refuse_split(text, text) is
  'Nothing where the split is null; else the error that this report cannot be split.';
