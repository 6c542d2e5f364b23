-- room: telephony
create index recordings_waiting on recordings (team_id) where state = 'waiting';
