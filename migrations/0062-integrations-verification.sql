-- room: integrations
-- Access tokens are verified like keys: `verify_due_at` says when. Until now, it was null for them. `handed_out_at` is
-- exact to the hour.
alter table connections add column verified_at bigint;
alter table connections add column handed_out_at bigint;
update connections set verify_due_at = connected_at
  where verify_due_at is null and client_id <> ''
    and team_id not in (select id from teams where erasing_at is not null);

-- An access token of the grant, sealed, that shows whether the grant has really ended. `answered_at`: when the provider
-- said that it has, although the token still worked.
alter table revocations add column access_token text;
alter table revocations add column access_expires_at bigint;
alter table revocations add column answered_at bigint;
