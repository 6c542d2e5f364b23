-- room: integrations
-- A team can connect several accounts of a provider, each under a name of its own. Every connection from before is the
-- team's `default`.
alter table connections add column name text not null default 'default';
drop index connections_provider;
create unique index connections_name on connections (team_id, provider, name);

-- What the team's own client requests, as JSON. Null: what the provider's entry says.
alter table provider_credentials add column scopes text;
