-- room: reports
-- For erasing a team and its users: see 0014.
create index report_deliveries_report on report_deliveries (report_id);
create index report_slack_addresses_set_by on report_slack_addresses (set_by);
