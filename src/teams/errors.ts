import { Refusal } from '../platform/index.ts';

export const memberUnknown = () => new Refusal(404, 'teams.member_unknown', 'The team has no member with this id.');

export const memberExists = () =>
  new Refusal(409, 'teams.member_exists', 'Somebody with this address is already a member of this team.');

export const memberLimit = (most: number) =>
  new Refusal(
    409,
    'teams.member_limit',
    `The team has ${most} members, which is as many as it can have. Remove one first, or ask whoever runs this Patchbay to raise PATCHBAY_MAX_MEMBERS.`,
  );

export const tokenLimit = (most: number) =>
  new Refusal(
    409,
    'teams.token_limit',
    `You have ${most} access tokens, which is as many as a member can have. Revoke one first, or ask whoever runs this Patchbay to raise PATCHBAY_MAX_TOKENS.`,
  );

export const lastAdmin = () =>
  new Refusal(409, 'teams.last_admin', 'The last admin of a team stays: make another member an admin first.');

export const roleFromOutside = () =>
  new Refusal(409, 'teams.role_from_outside', "This member's role comes from the identity provider: change it there.");

export const teamUnknown = () =>
  new Refusal(
    404,
    'teams.team_unknown',
    'You are not a member of a team with this id. Sign in again to see all of your teams.',
  );

export const tokenUnknown = () => new Refusal(404, 'teams.token_unknown', 'There is no access token with this id.');

export const sessionUnknown = () => new Refusal(404, 'teams.session_unknown', 'You have no session with this id.');

export const timeZoneUnknown = () =>
  new Refusal(400, 'teams.time_zone_unknown', 'The time zone is not known: give a name like "Europe/Berlin".', {
    errors: [{ path: 'body.timeZone', message: 'is not a known time zone' }],
  });

export const businessHoursInvalid = (day: string) =>
  new Refusal(400, 'teams.business_hours_invalid', 'Opening times of a day go upwards and do not overlap.', {
    errors: [{ path: `body.businessHours.${day}`, message: 'must go upwards without overlap' }],
  });

export const cursorInvalid = () =>
  new Refusal(400, 'teams.cursor_invalid', 'The cursor is not one of ours: begin again without it.');

export const linkGone = () =>
  new Refusal(
    410,
    'teams.link_gone',
    'This sign-in link has been used, has expired or never was. An admin of your team can make a new one, and so can whoever runs this Patchbay (user link).',
  );

export const SIGNED_IN_AS_ANOTHER = 'teams.signed_in_as_another';

export const signedInAsAnother = (who: string) =>
  new Refusal(409, SIGNED_IN_AS_ANOTHER, `You are signed in as ${who}. Sign out first, then open the link again.`);

export const foreignForm = () => new Refusal(403, 'teams.foreign_form', 'This form was sent from another site.');

export const outsideSignInStale = () =>
  new Refusal(
    400,
    'teams.sign_in_stale',
    'This sign-in was not begun in this browser, or more than ten minutes ago. Begin once more.',
  );

export const outsideSignInRefused = (message: string) =>
  new Refusal(403, 'teams.sign_in_refused', `${message} Go home, and sign in once more.`);

export const memberRemoved = () =>
  new Refusal(403, 'teams.member_removed', 'You were removed from this team. An admin of it can tell you more.');

export const identityProviderAway = () =>
  new Refusal(
    503,
    'teams.identity_provider_away',
    'The identity provider cannot be reached, so its tokens cannot be checked.',
    {
      headers: { 'retry-after': '5' },
    },
  );
