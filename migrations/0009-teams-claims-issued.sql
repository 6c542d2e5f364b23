-- room: teams
-- When the token was issued that last changed a user of the operator's identity provider. An older one changes nothing.
alter table users add column claims_issued_at bigint;
