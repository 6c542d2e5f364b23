-- room: teams
-- The host of the client that an access token was granted to, if a person granted it through OAuth. Such a token has no
-- secret of its own.
alter table access_tokens add column client text;
