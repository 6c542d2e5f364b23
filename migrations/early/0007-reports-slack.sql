-- room: reports
-- Where in Slack a team is told. The address is sealed: whoever has it can write there.
create table report_slack_addresses (
  team_id text primary key references teams (id),
  address text not null,
  host text not null,
  set_at bigint not null,
  set_by text not null references users (id)
);

-- The ledger of 0006 with a second channel, made anew since SQLite cannot change a check. `attempts` is how often it was
-- tried to the end: a job is for one attempt, and one that was left behind does nothing. In Slack the recipient is the
-- team. Where there is nobody to send to, one row is `skipped` and says why.
create table report_deliveries_next (
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
insert into report_deliveries_next
  (id, team_id, report_id, week, channel, recipient_hash, recipient, state, problem, attempts, created_at, sent_at)
  select id, team_id, report_id, week, channel, recipient_hash, recipient, state, problem, 0, created_at, sent_at
  from report_deliveries;
drop table report_deliveries;
alter table report_deliveries_next rename to report_deliveries;
create unique index report_deliveries_recipient on report_deliveries (team_id, week, channel, recipient_hash);
