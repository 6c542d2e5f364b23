-- room: teams
-- Who made a link that is handed over, and for a session that began with one, who that was. Both stay empty if the link
-- went to its user's own mailbox or came from the command line.
alter table sign_in_links add column made_by text;
alter table sessions add column handed_by text;
