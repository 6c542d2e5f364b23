-- room: integrations
-- For how many of a team's revocations are waiting: a new one queues behind them.
create index revocations_team on revocations (team_id);
