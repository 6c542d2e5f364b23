-- room: teams
-- What a restricted token can do, as JSON. Null for a token that can do all that its user can.
alter table access_tokens add column restriction text;
