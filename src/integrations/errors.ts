import { type InputError, Refusal } from '../platform/index.ts';
import { describeFailure, type ProviderFailure } from './catalogue/provider-failure.ts';

const CODE = 'integrations.';

export const providerUnknown = () =>
  new Refusal(404, `${CODE}provider_unknown`, 'There is no such provider: GET /api/integrations/providers lists them.');

export const providerRetired = (reason: string) =>
  new Refusal(410, `${CODE}provider_retired`, `This provider cannot be connected any more: ${reason}`);

export const notConfigured = (settings: readonly string[]) =>
  new Refusal(
    409,
    `${CODE}not_configured`,
    `This provider has no client yet. Set ${settings.join(' and ')}, or give the team its own credentials (PUT …/credentials).`,
  );

export const ownCredentialsNeeded = () =>
  new Refusal(
    409,
    `${CODE}own_credentials_needed`,
    "This host is not one of the provider's own, so no client is sent to it. An admin can give the team its own client for it: PUT …/credentials with the same params.",
  );

export const paramsInvalid = (errors: InputError[]) =>
  new Refusal(400, `${CODE}params_invalid`, 'The params do not fit this provider: see "errors".', { errors });

export const clientInvalid = (errors: InputError[]) =>
  new Refusal(400, `${CODE}client_invalid`, 'This is not a client id with its secret. Copy both once more.', {
    errors,
  });

export const returnRefused = () =>
  new Refusal(
    400,
    `${CODE}return_refused`,
    'returnTo must be a path of this service or lie within an origin of PATCHBAY_RETURN_ORIGINS.',
    { errors: [{ path: 'returnTo', message: 'is not allowed' }] },
  );

export const requestTooLong = () =>
  new Refusal(
    400,
    `${CODE}request_too_long`,
    'Scopes, params and returnTo are too long together to travel with the request: shorten them.',
  );

export const ticketInvalid = () =>
  new Refusal(410, `${CODE}ticket_invalid`, 'This link has been used or has expired. Ask for a new one.');

export const callbackMalformed = (what: string) =>
  new Refusal(400, `${CODE}callback_malformed`, `The provider's answer cannot be used: ${what}.`);

export const stateMissing = () =>
  new Refusal(
    400,
    `${CODE}state_missing`,
    'This answer belongs to no request of ours. Begin at Patchbay: an installation from the marketplace of a provider cannot be taken over.',
  );

export const stateInvalid = () =>
  new Refusal(400, `${CODE}state_invalid`, 'The state is not one that was made here for this provider. Connect again.');

export const stateExpired = () =>
  new Refusal(400, `${CODE}state_expired`, 'It took longer than ten minutes. Connect again.');

export const stateUsed = () =>
  new Refusal(409, `${CODE}state_used`, 'This answer of the provider was used already. Look at the status.');

export const issuerWrong = () =>
  new Refusal(400, `${CODE}issuer_wrong`, 'The answer comes from another issuer than the one that was asked.');

export const attemptUnknown = () =>
  new Refusal(404, `${CODE}attempt_unknown`, 'There is nothing to finish under this attempt.');

export const attemptNotYours = () =>
  new Refusal(
    403,
    `${CODE}attempt_not_yours`,
    'Somebody else began this, so it was called off. Connect again from your own account.',
  );

export const attemptUsed = () =>
  new Refusal(409, `${CODE}attempt_used`, 'This attempt was finished or called off already.');

export const attemptExpired = () =>
  new Refusal(410, `${CODE}attempt_expired`, 'The attempt has expired. Connect again.');

/** The provider, or the person there, said no. */
export const consentRefused = (code: string) =>
  new Refusal(
    code === 'access_denied' ? 403 : 400,
    `${CODE}${code === 'access_denied' ? 'access_denied' : 'provider_refused'}`,
    code === 'access_denied'
      ? 'The request was declined at the provider. Nothing was connected.'
      : 'The provider refused the request. Nothing was connected.',
  );

/** The provider did not give tokens for the code. */
export const exchangeFailed = (failure: ProviderFailure) =>
  new Refusal(502, `${CODE}exchange_${failure.kind}`, `Nothing was connected. ${describeFailure(failure)}`);

/** What happened is in the log. */
export const interrupted = () =>
  new Refusal(500, `${CODE}interrupted`, 'Something went wrong here while the account was connected. Connect again.');

export const notConnected = () =>
  new Refusal(409, `${CODE}not_connected`, 'The team has no connection to this provider.');

const REFUSED_FOR_DAYS = 'The provider has refused to renew this connection for days: connect it again.';
/** Reason of the connection → what is known. Everything else has ended at the provider. */
const WHY_RECONNECT = new Map([
  ['refused_for_days', REFUSED_FOR_DAYS],
  ['client_refused_for_days', REFUSED_FOR_DAYS],
  [
    'client_replaced',
    'This connection was made with another client id than the one that is set now: connect it again.',
  ],
  ['expired', 'The access token has expired, and there is no new one: connect it again.'],
  ['unreadable', 'The stored tokens cannot be opened any more: connect it again.'],
]);

export const needsReconnect = (reason: string | null) =>
  new Refusal(
    409,
    `${CODE}needs_reconnect`,
    WHY_RECONNECT.get(reason ?? 'expired') ?? 'The provider no longer accepts this connection: connect it again.',
  );

export const noFreshToken = (retryAfterSeconds: number) =>
  new Refusal(
    503,
    `${CODE}no_fresh_token`,
    'The access token has expired and the provider does not give a new one now. It will be tried again.',
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );

export const issuerAway = () =>
  new Refusal(
    503,
    `${CODE}issuer_away`,
    "The provider's own description cannot be fetched from its issuer: try again shortly. The log says why.",
    {
      headers: { 'retry-after': '5' },
    },
  );
