-- room: telephony
-- What a machine heard in a recording. There is at most one per recording, whoever made it and however often it's told, and
-- it goes with its recording. `content` is the text and its segments, sealed. `problem` says why there is none.
create table transcripts (
  recording_id text primary key references recordings (id) on delete cascade,
  team_id text not null references teams (id),
  state text not null check (state in ('waiting', 'ready', 'failed')),
  source text not null check (source in ('provider', 'own')),
  content text,
  language text,
  problem text,
  settled_at bigint,
  created_at bigint not null
);
create index transcripts_team on transcripts (team_id, created_at);
create index transcripts_waiting on transcripts (team_id) where state = 'waiting';
create index transcripts_old on transcripts (created_at) where state = 'waiting';
