import { describeWanted, unauthorized } from '../http/index.ts';
import { quoteForShell, Refusal, toIso } from '../platform/index.ts';

/** Refuses a person who was removed, or whose team was deleted. Such a caller may stay cached for up to a second. */
export const callerRemoved = () => unauthorized(describeWanted('member'), 'invalid_token');

export const memberUnknown = () => new Refusal(404, 'teams.member_unknown', 'The team has no member with this ID.');

export const memberExists = () =>
  new Refusal(409, 'teams.member_exists', 'Someone with this email address is already a member of this team.');

export const memberLimit = (most: number) =>
  new Refusal(
    409,
    'teams.member_limit',
    `This team has reached its limit of ${most} members. Remove one first, or ask your Patchbay administrator to raise PATCHBAY_MAX_MEMBERS.`,
  );

export const tokenLimit = (most: number) =>
  new Refusal(
    409,
    'teams.token_limit',
    `You have reached the limit of ${most} access tokens. Revoke one first, or ask your Patchbay administrator to raise PATCHBAY_MAX_TOKENS.`,
  );

export const tokenNamed = (name: string) =>
  new Refusal(
    409,
    'teams.token_named',
    `You already have an access token named “${name}”. No second one was created. A token is shown only once: if you don't have it anymore, revoke it, and create another one under a new name.`,
  );

/** `until`: when the token that made the request expires. */
export const tokenTooLong = (until: number) =>
  new Refusal(
    409,
    'teams.token_too_long',
    `A token that is created with a token can't be valid for longer. Yours expires at ${toIso(until)}. Ask for fewer days, leave out expiresInDays to get one that expires at the same time, or create it on the page or the command line.`,
  );

export const tokenTimeUnclear = () =>
  new Refusal(400, 'tokens.time_unclear', 'Say when the token expires in days or in minutes, not both.');

/** `can` and `allow` restrict a token. Without them, it can do all that its user can. */
export const rightsUnclear = () =>
  new Refusal(
    400,
    'tokens.rights_unclear',
    'Only the operator can give a token "returnTo", and only a token with "can" or "allow".',
  );

export const approvalsUnclear = () =>
  new Refusal(
    400,
    'tokens.approvals_unclear',
    '"writes" belongs to a token with "can" or "allow", and "approvalMinutes" to one with "writes": "ask".',
  );

export const restrictedTooLong = (days: number) =>
  new Refusal(400, 'tokens.time_too_long', `A restricted token can be valid for up to ${days} days.`);

export const rightsTooLong = (most: number) =>
  new Refusal(
    400,
    'tokens.rights_too_long',
    `This token would be allowed too many different things. Its rights can have up to ${most} characters as JSON. Use patterns, or several tokens.`,
  );

export const lastAdmin = () =>
  new Refusal(409, 'teams.last_admin', 'A team needs at least one admin. Make someone else an admin first.');

export const roleFromOutside = () =>
  new Refusal(
    409,
    'teams.role_from_outside',
    "This member's role comes from the identity provider or from the product that created them. Change it there.",
  );

/** `way`: how this member can get in instead. */
export const linkNotMade = (way: 'own' | 'outside' | 'mailbox') =>
  new Refusal(
    409,
    'teams.link_not_made',
    {
      own: "You're signed in already. Another admin can create a link for you.",
      outside: 'This member signs in through the identity provider or the product that created them.',
      mailbox:
        'This member has proven that their email address is theirs, so a new link has to come by email or from the command line.',
    }[way],
  );

export const teamUnknown = () =>
  new Refusal(
    404,
    'teams.team_unknown',
    "You aren't a member of a team with this ID. Sign in again to see all your teams.",
  );

export const customerUnknown = () =>
  new Refusal(
    404,
    'operator.team_unknown',
    'There is no team with this key. Create it with PUT /api/operator/teams/{key}.',
  );

/** For requests in a team that is being erased. */
export const customerGone = () => new Refusal(404, 'operator.team_unknown', 'The team with this key is being erased.');

export const customerErasing = () =>
  new Refusal(
    409,
    'operator.team_erasing',
    'The previous team with this key is still being erased. Try again later, or use another key.',
    { headers: { 'retry-after': '60' } },
  );

export const firstTeamKept = () =>
  new Refusal(409, 'teams.first_team', "The first team can't be deleted, because the admin token belongs to it.");

export const customerUserRemoved = () =>
  new Refusal(
    409,
    'operator.user_removed',
    'This user was removed from the team. Restore them with PUT /api/operator/teams/{key}/users/{userKey}, or use another user key.',
  );

export const customerKeyInvalid = () =>
  new Refusal(400, 'operator.key_invalid', 'A key is 1 to 200 printable ASCII characters without spaces.');

export const sessionTicketGone = () =>
  new Refusal(
    410,
    'operator.ticket_gone',
    'This link is invalid, expired, or already used. Go back to the app that sent you here and try again.',
  );

export const tokenUnknown = () => new Refusal(404, 'teams.token_unknown', 'There is no access token with this ID.');

export const sessionUnknown = () => new Refusal(404, 'teams.session_unknown', 'You have no session with this ID.');

export const timeZoneUnknown = () =>
  new Refusal(400, 'teams.time_zone_unknown', 'Unknown time zone. Use a name like "Europe/Berlin".', {
    errors: [{ path: 'timeZone', message: 'is not a known time zone' }],
  });

export const businessHoursInvalid = (days: readonly string[]) =>
  new Refusal(400, 'teams.business_hours_invalid', 'Opening hours must be in order and must not overlap.', {
    errors: days.map((day) => ({ path: day, message: 'must close after opening and must not overlap' })),
  });

export const businessHoursBlank = (field: string) =>
  new Refusal(
    400,
    'teams.business_hours_blank',
    'All seven days are closed. Set hours for at least one day, or use null for no fixed hours.',
    { errors: [{ path: field, message: 'must have hours on at least one day' }] },
  );

export const auditPeriodInvalid = () =>
  new Refusal(400, 'teams.period_invalid', 'Nothing lies in this period.', {
    errors: [{ path: 'since', message: 'must be before `until`' }],
  });

export const tooManyAuditExports = () =>
  new Refusal(
    429,
    'teams.too_many_exports',
    'Other exports are still running. Wait for one to finish, then try again.',
    { headers: { 'retry-after': '10' } },
  );

export const teamCursorInvalid = () =>
  new Refusal(400, 'teams.cursor_invalid', 'Invalid cursor. Start again without one.');

/** `onlyAdmin`: set if the link belonged to the team's only admin, who has no other admin to ask. */
export const linkGone = (onlyAdmin: string | null = null) =>
  new Refusal(
    410,
    'teams.link_gone',
    onlyAdmin === null
      ? 'This sign-in link is invalid, expired, or already used. Ask an admin of your team for a new one. They can create it on your page under Settings → Members.'
      : `This sign-in link has expired or was already used. To get another one, run this where Patchbay is installed: npm run patchbay -- user link ${quoteForShell(onlyAdmin)}`,
  );

export const SIGNED_IN_AS_ANOTHER = 'teams.signed_in_as_another';

export const signedInAsAnother = (who: string) =>
  new Refusal(409, SIGNED_IN_AS_ANOTHER, `You're signed in as ${who}. Sign out first, then open the link again.`);

export const outsideSignInStale = () =>
  new Refusal(
    400,
    'teams.sign_in_stale',
    'This sign-in was started in another browser or more than ten minutes ago. Start again.',
  );

export const outsideSignInRefused = (message: string) =>
  new Refusal(403, 'teams.sign_in_refused', `${message} Return to the home page and sign in again.`);

export const memberRemoved = () =>
  new Refusal(403, 'teams.member_removed', 'You were removed from this team. Ask one of its admins for details.');

/** For a verified token. Says which claim is missing, so that the identity provider can be set up. */
export const claimUnusable = ({ unnamed, claim }: { unnamed: 'team' | 'user'; claim: string }) =>
  new Refusal(
    401,
    `teams.${unnamed}_claim_missing`,
    `The token is valid, but its claim "${claim}" doesn't name a ${unnamed}. Have your identity provider add it, or ask your Patchbay administrator to choose another claim (AUTH_${unnamed.toUpperCase()}_CLAIM).`,
    { headers: { 'www-authenticate': 'Bearer realm="patchbay", error="invalid_token"' } },
  );

export const identityProviderAway = () =>
  new Refusal(
    503,
    'teams.identity_provider_away',
    "The identity provider can't be reached, so its tokens can't be verified. Try again shortly.",
    { headers: { 'retry-after': '5' } },
  );
