-- room: events
-- What people are told. An alert is open until its cause is resolved; while it is, the same cause opens no other. What it
-- says is sealed: `text` is the event's data or the endpoint's address, sealed as it was there. For a call it's null: what
-- is told is in the event, and is erased with it. `told_in` and `resolution_told_in` name the notice that people got.
create table event_alerts (
  id text primary key,
  team_id text not null references teams (id),
  kind text not null check (kind in ('reconnect', 'voicemail', 'missed', 'endpoint')),
  subject text not null,
  event_id text,
  text text,
  reason text,
  opened_at bigint not null,
  resolved_at bigint,
  resolution text,
  told_in text,
  resolution_told_in text
);
create unique index event_alerts_open on event_alerts (team_id, kind, subject) where resolved_at is null;
create index event_alerts_told on event_alerts (team_id, told_in);
create index event_alerts_resolution_told on event_alerts (team_id, resolution_told_in) where resolved_at is not null;
create index event_alerts_resolved on event_alerts (resolved_at) where resolved_at is not null;
create index event_alerts_endpoints on event_alerts (subject) where kind = 'endpoint' and resolved_at is null;
create index event_alerts_calls on event_alerts (opened_at) where kind in ('voicemail', 'missed');

-- How far the log has been read for alerts. One row: whoever moves it on opens the alerts in the same transaction.
create table event_alert_log (
  id bigint primary key check (id = 1),
  position bigint not null
);
insert into event_alert_log (id, position) values (1, 0);

-- By which channels a team is told about what, as JSON. A team without a row has the defaults.
create table event_alert_settings (
  team_id text primary key references teams (id),
  settings text not null
);

-- When a team is told next and was told last. `left_out` counts causes for which there was no room.
create table event_alert_teams (
  team_id text primary key references teams (id),
  due_at bigint,
  told_at bigint,
  left_out bigint not null default 0
);
create index event_alert_teams_due on event_alert_teams (due_at) where due_at is not null;

-- A notice on its way to one recipient. A mail goes to the admin whose address has this hash.
create table event_alert_dispatches (
  id text primary key,
  team_id text not null references teams (id),
  notice_id text not null,
  channel text not null check (channel in ('mail', 'slack')),
  recipient_hash text not null,
  state text not null check (state in ('queued', 'sending', 'sent', 'unclear', 'failed', 'skipped')),
  problem text,
  attempts bigint not null,
  left_out bigint not null,
  created_at bigint not null,
  sent_at bigint,
  unique (team_id, notice_id, channel, recipient_hash)
);
create index event_alert_dispatches_created on event_alert_dispatches (created_at);
