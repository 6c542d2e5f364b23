-- room: agents
-- Finds grants for which no refresh token has been seen yet, so that the job that ends unusable ones doesn't read all of
-- them. `consumed_at` of a grant is when its refresh token was seen.
create index agent_issued_unredeemed on agent_issued (kind, consumed_at, created_at) where kind = 'Grant';
