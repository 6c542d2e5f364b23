import type { Secret } from '../../platform/index.ts';
import { revealFields } from '../catalogue/client.ts';
import { createPlaceCheck } from '../catalogue/known-hosts.ts';
import { pick } from '../catalogue/pick.ts';
import { makeRandom, withDefaults } from '../catalogue/placeholders.ts';
import { toFailure } from '../catalogue/provider-failure.ts';
import type { AskContext, Target } from './ask-provider.ts';
import { errorCodeOf } from './token-response.ts';
import { askVerification, buildVerification, expandTokenCredential, type Unaccepted } from './verification-request.ts';

/** The provider's verdict on an access token. */
export type TokenVerdict = { outcome: 'accepted' } | Unaccepted;

/** A 403 isn't one of them: it may be about a scope that the token lacks. */
const REJECTING = new Set([401]);

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);

/**
 * Whether a response with a 2xx status is an error nevertheless: by the entry's `okField`, by a field that usually
 * holds errors, or because it isn't data at all, such as a sign-in page.
 */
const isError = (okField: string | undefined, text: string, body: unknown): boolean => {
  if (text.trim() === '') return false;
  if (body === null) return true;
  if (okField !== undefined) return pick(body, okField) === false;
  return ['error', 'errors'].some((name) => !isEmpty(pick(body, name)));
};

/**
 * Asks the provider whether an access token works, with the request that the entry names. Only a clear refusal rejects
 * it: a 401, or what the entry says.
 */
export const verifyToken = async (
  context: AskContext,
  { provider, client, values }: Target,
  accessToken: Secret,
  timeoutMs?: number,
): Promise<TokenVerdict> => {
  const { record } = provider;
  const { api, errors } = record;
  if (!api?.verify) return { outcome: 'not_asked' };
  const { verify } = api;
  const known = {
    ...withDefaults(values, record),
    client_id: client.id,
    ...(client.secret ? { client_secret: client.secret.reveal() } : {}),
    access_token: accessToken.reveal(),
    random: makeRandom(),
    ...revealFields(client),
  };
  const answer = await askVerification(context, {
    ...{ provider, verify, rejecting: REJECTING, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    build: () => buildVerification(api, verify, expandTokenCredential(api, known), known),
    mayReceive: createPlaceCheck(record, client.params),
  });
  if (answer.outcome !== 'answered') return answer;
  const { status, text, body } = answer;
  if (!isError(errors?.okField, text, body)) return { outcome: 'accepted' };
  const isEnded = toFailure({ status, code: errorCodeOf(body, record), body }, errors).kind === 'invalid_grant';
  return errors?.okField !== undefined && isEnded ? { outcome: 'rejected' } : { outcome: 'unconfirmed', status };
};
