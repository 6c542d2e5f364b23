-- room: reports
-- The report of a team's week, one row for each revision: data that came late makes the next one. The figures are sealed
-- because they name who called. `as_of` is when the callers who still wait were looked up, `business_hours` the opening
-- hours that the week was counted by (JSON; null: not known), and `checked_at` when it was last checked for late data.
create table reports (
  id text primary key,
  team_id text not null references teams (id),
  week text not null,
  revision bigint not null,
  time_zone text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  as_of bigint not null,
  figures text not null,
  content_hash text not null,
  created_at bigint not null,
  business_hours text,
  checked_at bigint
);
create unique index reports_week on reports (team_id, week, revision);

create table report_runs (
  id text primary key,
  begun_at bigint not null,
  asked_by text not null check (asked_by in ('cron', 'service', 'command_line', 'person'))
);
create index report_runs_begun on report_runs (begun_at);

-- Where in Slack a team gets its report. The address is sealed: anyone who has it can post there.
create table report_slack_addresses (
  team_id text primary key references teams (id),
  address text not null,
  host text not null,
  set_at bigint not null,
  set_by text not null references users (id)
);

-- Whom a report is sent to: one row for a recipient and week, written in the transaction that makes the report, so that
-- sending is neither forgotten nor done twice. `sending` is written before the message leaves and `sent` once it was
-- accepted; what was interrupted in between is `unclear`, and isn't sent again. In Slack the recipient is the team. If
-- there is nobody to send to, one row is `skipped` and says why. `attempts` counts those that ran to the end: a job is for
-- one attempt, and one that was left behind does nothing.
create table report_deliveries (
  id text primary key,
  team_id text not null references teams (id),
  report_id text not null references reports (id),
  week text not null,
  channel text not null check (channel in ('mail', 'slack')),
  recipient_hash text not null,
  recipient text,
  state text not null check (state in ('queued', 'sending', 'sent', 'unclear', 'failed', 'unsubscribed', 'skipped')),
  problem text,
  attempts bigint not null,
  next_try_at bigint,
  created_at bigint not null,
  sent_at bigint
);
create unique index report_deliveries_recipient on report_deliveries (team_id, week, channel, recipient_hash);

create table report_unsubscribes (
  team_id text not null references teams (id),
  recipient_hash text not null,
  at bigint not null,
  primary key (team_id, recipient_hash)
);
