-- room: telephony
-- How many bytes of payloads a team's deliveries have, by the UTC day on which they came. A day's row is deleted once the
-- payloads of that day are erased, so no payload has to be read to know how much is left.
create table telephony_payload_bytes (
  team_id text not null references teams (id),
  day bigint not null,
  bytes bigint not null,
  primary key (team_id, day)
);

-- How many bytes of audio a team's archived recordings have. Changed in the transaction that archives or removes one.
create table telephony_recording_bytes (
  team_id text primary key references teams (id),
  bytes bigint not null
);
insert into telephony_recording_bytes (team_id, bytes)
  select team_id, sum(bytes) from recordings where state = 'archived' and bytes is not null group by team_id;
