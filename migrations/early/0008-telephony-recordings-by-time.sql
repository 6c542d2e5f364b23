-- room: telephony
-- A report counts the recordings of one week of one team.
create index recordings_told on recordings (team_id, created_at);
