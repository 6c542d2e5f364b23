-- room: reports
-- What was told of a team's week. The figures are sealed: they name who called. Of one team and week there is one row
-- for each revision; data that came late makes the next one. `as_of` is when it was looked who still waits.
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
  created_at bigint not null
);
create unique index reports_week on reports (team_id, week, revision);

create table report_runs (
  id text primary key,
  begun_at bigint not null,
  asked_by text not null check (asked_by in ('cron', 'service', 'command_line'))
);
create index report_runs_begun on report_runs (begun_at);

-- To whom a report is sent: one row for a recipient and week, made in the transaction that makes the report, so that
-- sending is neither forgotten nor done twice. `sending` is written before the mail leaves and `sent` after it was taken;
-- what was interrupted in between is `unclear`, and is not sent again.
create table report_deliveries (
  id text primary key,
  team_id text not null references teams (id),
  report_id text not null references reports (id),
  week text not null,
  channel text not null check (channel in ('mail')),
  recipient_hash text not null,
  recipient text not null,
  state text not null check (state in ('queued', 'sending', 'sent', 'unclear', 'failed', 'unsubscribed')),
  problem text,
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
