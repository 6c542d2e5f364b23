-- room: telephony
-- An account that was made by a simulation. Its calls aren't real: pages say so, and reports leave them out.
alter table telephony_accounts add column simulated bigint not null default 0;
create index telephony_accounts_simulated on telephony_accounts (team_id, id) where simulated = 1;
