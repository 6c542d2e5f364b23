-- room: telephony
-- Refusals are kept for a week.
create index telephony_refusals_age on telephony_refusals (piece);
