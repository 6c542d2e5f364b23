-- room: integrations
-- Which of the sites that a consent covers a connection is for, and what is kept of it. Null if nobody was ever asked.
alter table connections add column site text;
