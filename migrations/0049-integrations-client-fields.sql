-- room: integrations
-- What a team's own client has besides its id and secret, such as a key for the API, sealed together.
alter table provider_credentials add column client_fields text;
