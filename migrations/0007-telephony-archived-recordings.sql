-- room: telephony
-- A list shows for each call when its newest recording was archived: one look, however many recordings a call has.
create index recordings_call_archived on recordings (team_id, account_id, call_key, archived_at) where state = 'archived';
