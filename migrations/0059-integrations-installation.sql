-- room: integrations
-- The company, workspace, or site that a person's account belongs to, and which fields of the entry the account was read
-- from. Accounts that were read from other fields are read again at the next refresh.
alter table connections add column installation_id text;
alter table connections add column account_from text;
create index connections_installation on connections (provider, installation_id) where installation_id is not null;
alter table revocations add column installation_id text;
alter table revocations add column account_from text;
