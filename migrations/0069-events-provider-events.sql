-- room: events
-- What happened at connected accounts, as providers say in their webhooks: whose event it is, and the provider's own type
-- of it. Both are null for everything else. A delivery that fits no connection is the operator's: its row is the first
-- team's, whose key seals it, and `team_key`, `provider`, and `topic` are empty. Of two indexes that seem equally good,
-- SQLite takes the one that was created first.
alter table events add column provider text;
alter table events add column topic text;
create index events_of_provider on events (team_id, provider, position, type) where position is not null;
create index events_of_topic on events (team_id, provider, topic, position)
  where provider is not null and position is not null;
create index events_of_customers_topic on events (provider, topic, position)
  where provider is not null and team_key is not null;
create index events_of_customers_provider on events (provider, position, type) where team_key is not null;

-- How much happened at a connection's account lately, and the connection's own history, without reading all webhooks about it.
create index events_received on events (team_id, subject, created_at, provider) where provider is not null;
create index events_about_connections on events (team_id, subject, position)
  where type in ('connection.connected', 'connection.reconnected', 'connection.degraded', 'connection.recovered',
    'connection.needs_reconnect', 'connection.disconnected');

-- A payload that is too large for its event's data, sealed in pieces.
create table event_payload_pieces (
  event_id text not null references events (id) on delete cascade,
  piece bigint not null,
  team_id text not null,
  content text not null,
  primary key (event_id, piece)
);
