-- room: teams
-- For the checklist on the home page: when someone chose who gets the report, even if they left it as it was, and when an
-- admin dismissed the list.
alter table teams add column recipients_chosen_at bigint;
alter table teams add column checklist_dismissed_at bigint;
update teams set recipients_chosen_at = created_at where report_recipients is not null;
