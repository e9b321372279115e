-- What purchases and unknown names hold since renewals and types of elements are told.

comment on column sluice.purchases.outcome is
  'success; pending (waits for an approval, or for a payment in the browser); cancelled; failed; started (nothing tells how it ended); repeated (a success whose transaction counts already, or by which the store charged again for what was bought before). A record of the vendor''s feed makes it success.';
comment on column sluice.purchases.matched_by is
  'How the app''s events and the record were found to be one: transaction, original_transaction (also where they tell of two transactions of one subscription), product_and_time; null where only one side is known. Of a repeated one: transaction, where the feed tells of that too.';
comment on column sluice.unknown_names.kind is
  'event, column (of a table, or a member of a record), member (of params, whose value cannot be read), purchase_result, error_code, store_message or element_type.';
