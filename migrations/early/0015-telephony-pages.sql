-- room: telephony
-- Lists are read a page at a time, in the order of their ids.
drop index telephony_accounts_team;
create index telephony_accounts_team on telephony_accounts (team_id, id) where removed_at is null;
drop index telephony_numbers_team;
create index telephony_numbers_team on telephony_numbers (team_id, id) where removed_at is null;
create index telephony_numbers_account on telephony_numbers (account_id, id) where removed_at is null;
