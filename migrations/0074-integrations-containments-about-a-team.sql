-- room: integrations
-- What stops a team's connections and access tokens, whether an admin of the team began it or the operator.
create index containments_about on containments (of_team_id, id);
