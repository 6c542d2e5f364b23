-- room: teams
-- When the report on the last full week is made: on this day of the next week, from this hour on, in the team's time zone.
alter table teams add column report_day text not null default 'monday'
  check (report_day in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'));
alter table teams add column report_hour bigint not null default 8 check (report_hour between 0 and 23);
