-- room: telephony
-- Starting reads what is there (removed_at is null), in the order of its changes. Pruning finds what was removed long ago.
create index telephony_accounts_removed on telephony_accounts (removed_at, change);
create index telephony_numbers_removed on telephony_numbers (removed_at, change);

-- Uses of a secret go with it from now on. An account has ten secrets at most, so of those that were left until now, the
-- ten latest uses are enough.
delete from telephony_secret_uses where (account_id, secret_id) in (
  select account_id, secret_id from (
    select account_id, secret_id, row_number() over (partition by account_id order by last_used_at desc) as place
    from telephony_secret_uses) as placed where place > 10);
