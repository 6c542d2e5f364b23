import { type InputError, Refusal } from '../platform/index.ts';
import { describeFailure, type ProviderFailure } from './catalogue/provider-failure.ts';

export const refuse = (
  status: number,
  reason: string,
  message: string,
  details?: ConstructorParameters<typeof Refusal>[3],
) => new Refusal(status, `integrations.${reason}`, message, details);

export const providerUnknown = () =>
  refuse(404, 'provider_unknown', 'Unknown provider. GET /api/integrations/providers lists all of them.');

export const providerCursorInvalid = () =>
  refuse(400, 'cursor_invalid', 'Invalid cursor. Use `nextCursor` from the previous page, with the same search.');

export const requestCursorInvalid = () => refuse(400, 'cursor_invalid', 'Invalid cursor. Start again without one.');

export const providerRetired = (reason: string) =>
  refuse(410, 'provider_retired', `This provider can no longer be connected. ${reason}`);

/** For requests that make sense only for OAuth providers. */
export const keyBased = () =>
  refuse(409, 'key_based', 'This provider is connected with a key, not through OAuth. Use PUT …/key.');

export const notKeyBased = () =>
  refuse(409, 'not_key_based', 'This provider is connected through OAuth, not with a key. Use POST …/connect.');

export const notConfigured = (settings: readonly string[]) =>
  refuse(
    409,
    'not_configured',
    `This provider's OAuth app isn't set up yet. Set ${settings.join(' and ')}, or give the team its own OAuth app (PUT …/credentials).`,
  );

export const ownCredentialsNeeded = () =>
  refuse(
    409,
    'own_credentials_needed',
    "This host isn't one of the provider's own, so no OAuth app is used with it. An admin can give the team its own OAuth app for this host (PUT …/credentials with the same params).",
  );

export const paramsInvalid = (errors: InputError[]) =>
  refuse(400, 'params_invalid', 'Some params are invalid for this provider. See "errors".', { errors });

export const noToken = () =>
  refuse(403, 'no_token', "This provider is connected with a key, which isn't handed out. Use it through the proxy.");

export const clientInvalid = (errors: InputError[]) =>
  refuse(400, 'client_invalid', 'The OAuth app is invalid. See "errors", and copy what it names again.', { errors });

export const contained = () =>
  refuse(
    409,
    'contained',
    'Access is stopped because something may have leaked. Connect again, or ask your administrator when it will be lifted.',
  );

export const scopesInvalid = (flaw: string) =>
  refuse(400, 'scopes_invalid', 'Some scopes are invalid. See "errors".', {
    errors: [{ path: 'scopes', message: flaw }],
  });

export const returnRefused = () =>
  refuse(
    400,
    'return_refused',
    'returnTo must be a path on this service or a URL in an allowed origin (PATCHBAY_RETURN_ORIGINS).',
    { errors: [{ path: 'returnTo', message: 'is not allowed' }] },
  );

export const requestTooLong = () =>
  refuse(400, 'request_too_long', 'Together, scopes, params, and returnTo are too long. Shorten them.');

export const ticketInvalid = () =>
  refuse(410, 'ticket_invalid', 'This link has expired or was already used. Request a new one.');

export const callbackMalformed = (what: string) =>
  refuse(400, 'callback_malformed', `The provider's response is invalid: ${what}.`);

export const stateMissing = () =>
  refuse(
    400,
    'state_missing',
    "This response doesn't belong to a request from Patchbay. Start in Patchbay. Installing from a provider's marketplace isn't supported.",
  );

export const stateInvalid = () =>
  refuse(400, 'state_invalid', "This wasn't begun here, or has been ended since. Connect again.");

export const stateExpired = () => refuse(400, 'state_expired', 'This took longer than ten minutes. Connect again.');

export const stateUsed = () =>
  refuse(409, 'state_used', "This authorization response was already used. Check the connection's status.");

export const issuerWrong = () =>
  refuse(400, 'issuer_wrong', 'The response came from a different issuer than expected. Connect again.');

export const attemptUnknown = () =>
  refuse(404, 'attempt_unknown', 'There is no such attempt to finish. Connect again.');

export const attemptNotYours = () =>
  refuse(
    403,
    'attempt_not_yours',
    'Someone else started this, so it was canceled. Connect again as the user who finishes it. With the operator token, name that user in "Patchbay-User".',
  );

export const attemptUsed = () =>
  refuse(409, 'attempt_used', 'This attempt was already finished or canceled. Check the status, or connect again.');

export const attemptExpired = () => refuse(410, 'attempt_expired', 'This attempt has expired. Connect again.');

/** The provider refused the consent, or the person declined it. */
export const consentRefused = (code: string) =>
  code === 'access_denied'
    ? refuse(403, 'access_denied', 'Access was declined at the provider. Nothing has changed.')
    : refuse(400, 'provider_refused', 'The provider refused the request. Nothing has changed.');

/** The provider didn't exchange the code for tokens. */
export const exchangeFailed = (failure: ProviderFailure) =>
  refuse(502, `exchange_${failure.kind}`, `Nothing has changed. ${describeFailure(failure)}`);

export const connectionBusy = () =>
  refuse(503, 'connection_busy', 'This connection is being changed from several places at once. Try again.', {
    headers: { 'retry-after': '1' },
  });

/** Thrown before the state and the code are used up, so the same request can be tried again. */
export const tooManyConnects = () =>
  refuse(
    429,
    'too_many_connects',
    'Too many connects are being finished at the same time. Wait a few seconds, then reload this page or try again.',
    { headers: { 'retry-after': '5' } },
  );

/** The message gives no details. The error itself is in the log. */
export const interrupted = () =>
  refuse(500, 'interrupted', 'Something went wrong while connecting the account. Connect again.');

export const notConnected = () => refuse(409, 'not_connected', "The team isn't connected to this provider.");

/**
 * Like `notConnected`, for a request that names a connection. Lists the existing names, in case this one is mistyped.
 */
export const connectionUnknown = (name: string, shown: readonly string[], more: number) =>
  refuse(
    409,
    'not_connected',
    `The team has no connection to this provider named "${name}". It has: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`,
    { members: { connections: shown } },
  );

export const connectionAmbiguous = (names: readonly string[]) =>
  refuse(
    409,
    'connection_ambiguous',
    'The team has several connections to this provider. Say which one with `connection`. See "connections".',
    { members: { connections: names } },
  );

export const connectionConflicting = () =>
  refuse(400, 'connection_conflicting', 'The query and the body name different connections. Name only one.', {
    errors: [{ path: 'connection', message: 'is not the same in the query and the body' }],
  });

export const connectionInvalid = () =>
  refuse(400, 'connection_invalid', "This isn't a name for a connection.", {
    errors: [
      {
        path: 'connection',
        message: 'must be 1 to 40 lowercase letters, digits, - and _, starting with a letter or a digit',
      },
    ],
  });

export const connectionLimit = (most: number) =>
  refuse(
    409,
    'connection_limit',
    `The team has reached its limit of ${most} connections. Remove one, or ask your Patchbay administrator to raise PATCHBAY_MAX_CONNECTED_ACCOUNTS.`,
  );

export const nameTaken = () =>
  refuse(
    409,
    'name_taken',
    'This is a different account than the one connected under this name, or nobody can tell, so that one was not replaced. Connect it under another name, or allow it to replace the other one.',
  );

/** A restricted token began the connect, and never replaces a connection. */
export const nameTakenForToken = (connection: string) =>
  refuse(
    409,
    'name_taken',
    `An account is already connected under the name "${connection}", and a restricted token can't replace it. Give another name in "connection".`,
  );

const connectRefused = (message: string) => new Refusal(403, 'tokens.not_allowed', message);

export const connectProviderNotAllowed = (provider: string) =>
  connectRefused(`This token's "allow" doesn't include ${provider}, so the token can't connect it.`);

export const connectNotAllowed = (field: string) =>
  connectRefused(`A restricted token can't choose "${field}" for a connect. Leave it out.`);

const REFUSED_FOR_DAYS = 'The provider has refused to renew this connection for days. Connect again.';
/** A connection's reason → the message. For any other reason, access has ended at the provider. */
const WHY_RECONNECT = new Map([
  ['refused_for_days', REFUSED_FOR_DAYS],
  ['client_refused_for_days', REFUSED_FOR_DAYS],
  ['client_replaced', 'This connection was made with a different OAuth app than the current one. Connect again.'],
  ['expired', "The access token has expired and can't be renewed. Connect again."],
  ['unreadable', 'The stored tokens can no longer be decrypted. Connect again.'],
  ['key_refused', 'The provider no longer accepts this key. Enter a new one.'],
  ['token_refused', 'The provider no longer accepts the access token. Connect again.'],
  ['contained', 'Access was ended because something may have leaked. Connect again.'],
]);

export const needsReconnect = (reason: string | null) =>
  refuse(
    409,
    'needs_reconnect',
    WHY_RECONNECT.get(reason ?? 'expired') ?? 'The provider no longer accepts this connection. Connect again.',
  );

export const noFreshToken = (retryAfterSeconds: number) =>
  refuse(
    503,
    'no_fresh_token',
    "The access token has expired, and the provider isn't issuing a new one right now. Patchbay will keep trying.",
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );

export const issuerAway = () =>
  refuse(
    503,
    'issuer_away',
    "The provider's configuration can't be fetched from its issuer. Try again shortly. The log says why.",
    { headers: { 'retry-after': '5' } },
  );

/** The visitor can't be sent back to the product, because the request's return URL is what's wrong. */
export const sandboxRefused = (reason: string) =>
  refuse(400, 'sandbox_refused', `The sandbox can't continue with this request: ${reason}.`);

export const sandboxGone = () =>
  refuse(
    410,
    'sandbox_gone',
    'This request was already answered, has expired, or was opened in another browser. Connect again.',
  );

export const hostedProviderRefused = () =>
  refuse(403, 'not_offered', "This page doesn't include this integration. Go back and choose another one.");

export const hostedFormRefused = () =>
  refuse(403, 'foreign_form', 'This form was not opened on this page. Go back and try again.');
