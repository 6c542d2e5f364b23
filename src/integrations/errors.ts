import { type InputError, Refusal } from '../platform/index.ts';
import { describeFailure, type ProviderFailure } from './catalogue/provider-failure.ts';

const CODE = 'integrations.';

export const providerUnknown = () =>
  new Refusal(404, `${CODE}provider_unknown`, 'Unknown provider. GET /api/integrations/providers lists all of them.');

export const providerRetired = (reason: string) =>
  new Refusal(410, `${CODE}provider_retired`, `This provider can no longer be connected. ${reason}`);

export const notConfigured = (settings: readonly string[]) =>
  new Refusal(
    409,
    `${CODE}not_configured`,
    `This provider has no OAuth app yet. Set ${settings.join(' and ')}, or give the team its own OAuth app (PUT …/credentials).`,
  );

export const ownCredentialsNeeded = () =>
  new Refusal(
    409,
    `${CODE}own_credentials_needed`,
    "This host isn't one of the provider's own, so no OAuth app is used with it. An admin can give the team its own OAuth app for this host (PUT …/credentials with the same params).",
  );

export const paramsInvalid = (errors: InputError[]) =>
  new Refusal(400, `${CODE}params_invalid`, 'Some params are invalid for this provider. See "errors".', { errors });

export const clientInvalid = (errors: InputError[]) =>
  new Refusal(400, `${CODE}client_invalid`, 'The client id or secret is invalid. Copy both again.', {
    errors,
  });

export const returnRefused = () =>
  new Refusal(
    400,
    `${CODE}return_refused`,
    'returnTo must be a path on this service or a URL in an allowed origin (PATCHBAY_RETURN_ORIGINS).',
    { errors: [{ path: 'returnTo', message: 'is not allowed' }] },
  );

export const requestTooLong = () =>
  new Refusal(400, `${CODE}request_too_long`, 'Together, scopes, params and returnTo are too long. Shorten them.');

export const ticketInvalid = () =>
  new Refusal(410, `${CODE}ticket_invalid`, 'This link has expired or was already used. Request a new one.');

export const callbackMalformed = (what: string) =>
  new Refusal(400, `${CODE}callback_malformed`, `The provider's response is invalid: ${what}.`);

export const stateMissing = () =>
  new Refusal(
    400,
    `${CODE}state_missing`,
    "This response doesn't belong to a request from Patchbay. Start in Patchbay. Installing from a provider's marketplace isn't supported.",
  );

export const stateInvalid = () =>
  new Refusal(400, `${CODE}state_invalid`, "The state wasn't created here for this provider. Connect again.");

export const stateExpired = () =>
  new Refusal(400, `${CODE}state_expired`, 'This took longer than ten minutes. Connect again.');

export const stateUsed = () =>
  new Refusal(409, `${CODE}state_used`, "This authorization response was already used. Check the connection's status.");

export const issuerWrong = () =>
  new Refusal(400, `${CODE}issuer_wrong`, 'The response came from a different issuer than expected. Connect again.');

export const attemptUnknown = () =>
  new Refusal(404, `${CODE}attempt_unknown`, 'There is no such attempt to finish. Connect again.');

export const attemptNotYours = () =>
  new Refusal(
    403,
    `${CODE}attempt_not_yours`,
    'Someone else started this, so it was canceled. Connect again from your own account.',
  );

export const attemptUsed = () =>
  new Refusal(409, `${CODE}attempt_used`, 'This attempt was already finished or canceled.');

export const attemptExpired = () =>
  new Refusal(410, `${CODE}attempt_expired`, 'This attempt has expired. Connect again.');

/** The provider, or the person there, said no. */
export const consentRefused = (code: string) =>
  new Refusal(
    code === 'access_denied' ? 403 : 400,
    `${CODE}${code === 'access_denied' ? 'access_denied' : 'provider_refused'}`,
    code === 'access_denied'
      ? 'Access was declined at the provider. Nothing was connected.'
      : 'The provider refused the request. Nothing was connected.',
  );

/** The provider didn't exchange the code for tokens. */
export const exchangeFailed = (failure: ProviderFailure) =>
  new Refusal(502, `${CODE}exchange_${failure.kind}`, `Nothing was connected. ${describeFailure(failure)}`);

/** What happened is in the log. */
export const interrupted = () =>
  new Refusal(500, `${CODE}interrupted`, 'Something went wrong while connecting the account. Connect again.');

export const notConnected = () =>
  new Refusal(409, `${CODE}not_connected`, "The team isn't connected to this provider.");

const REFUSED_FOR_DAYS = 'The provider has refused to renew this connection for days. Connect again.';
/** The connection's reason → what is known. Everything else has ended at the provider. */
const WHY_RECONNECT = new Map([
  ['refused_for_days', REFUSED_FOR_DAYS],
  ['client_refused_for_days', REFUSED_FOR_DAYS],
  ['client_replaced', 'This connection was made with a different OAuth app than the current one. Connect again.'],
  ['expired', "The access token has expired and can't be renewed. Connect again."],
  ['unreadable', 'The stored tokens can no longer be decrypted. Connect again.'],
]);

export const needsReconnect = (reason: string | null) =>
  new Refusal(
    409,
    `${CODE}needs_reconnect`,
    WHY_RECONNECT.get(reason ?? 'expired') ?? 'The provider no longer accepts this connection. Connect again.',
  );

export const noFreshToken = (retryAfterSeconds: number) =>
  new Refusal(
    503,
    `${CODE}no_fresh_token`,
    "The access token has expired, and the provider isn't issuing a new one right now. Patchbay will keep trying.",
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );

export const issuerAway = () =>
  new Refusal(
    503,
    `${CODE}issuer_away`,
    "The provider's configuration can't be fetched from its issuer. Try again shortly. The log says why.",
    {
      headers: { 'retry-after': '5' },
    },
  );
