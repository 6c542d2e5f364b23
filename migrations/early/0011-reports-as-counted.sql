-- room: reports
-- By which opening hours a week was counted, as JSON (null: not known, of reports before this), and when it was last looked
-- whether anything came late.
alter table reports add column business_hours text;
alter table reports add column checked_at bigint;
