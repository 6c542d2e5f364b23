-- room: integrations
-- How the provider keeps refusing the refresh, since when and how often. Null: it does not.
alter table connections add column refusal text;
