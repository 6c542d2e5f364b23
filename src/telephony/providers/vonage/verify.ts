import { hash, randomUUID } from 'node:crypto';
import { equalSecrets } from '../../../platform/index.ts';
import { type Delivery, hasOnlyOurParams, isEachOnce, JSON_TYPE, queryOf, stepOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { hmacKeyOf } from '../../provider-parts/hmac-key.ts';
import type { Fields } from '../../provider-parts/values.ts';
import { asksForReply, fieldsOf, isAboutCall, vendorQuery } from './fields.ts';
import { parseStrictly } from './strict-json.ts';
import { bearerOf, makeToken, readToken, signToken } from './token.ts';

const TOLERANCE_SECONDS = 300;
const EMPTY = hash('sha256', '', 'hex');

/** What the token's digest covers: the content of this delivery, nothing at all, or the content of another one. */
type Coverage = 'content' | 'nothing' | 'other';

const isDigestOf = (claim: unknown, content: string | Buffer): boolean =>
  typeof claim === 'string' && equalSecrets(hash('sha256', content, 'hex'), claim);

/**
 * Finds out what the digest covers. A GET has no body. According to Vonage's support page, the digest then covers the
 * parameters as JSON, in order; other sources say that there is no digest (both seen November 2026). The digest of a
 * POST matches no query, so its token can't be used for a GET.
 */
const coverageOf = (delivery: Delivery, { payload_hash: claim }: Fields): Coverage => {
  if (delivery.method === 'POST') return isDigestOf(claim, delivery.body) ? 'content' : 'other';
  if (claim === undefined || claim === EMPTY) return 'nothing';
  const forms = [vendorQuery(delivery), [...queryOf(delivery)]];
  return forms.some((params) => isDigestOf(claim, JSON.stringify(Object.fromEntries(params)))) ? 'content' : 'other';
};

/**
 * Whether a token has all required claims. Without `jti`, one token could be used for many deliveries; without `iat`,
 * it would never expire.
 */
const isComplete = ({ jti, iat, iss }: Fields): boolean =>
  typeof jti === 'string' &&
  jti !== '' &&
  typeof iat === 'number' &&
  Number.isFinite(iat) &&
  (iss === undefined || iss === 'Vonage');

const isFresh = ({ iat, exp }: Fields, now: number): boolean =>
  Math.abs(now / 1_000 - Number(iat)) <= TOLERANCE_SECONDS && (exp === undefined || Number(exp) > now / 1_000);

const hasOneReading = (delivery: Delivery): boolean => {
  if (!isAboutCall(fieldsOf(delivery))) return false;
  return delivery.method === 'GET'
    ? isEachOnce([...queryOf(delivery).keys()]) && delivery.body.length === 0
    : hasOnlyOurParams(delivery) && parseStrictly(delivery.body) !== null;
};

/** Whether a delivery asks for a reply and reports nothing. Nothing else is accepted if the content isn't signed. */
const asksOnly = (delivery: Delivery): boolean => {
  const step = stepOf(delivery);
  return delivery.route === 'voice' && (step === null || step === 'screen') && asksForReply(fieldsOf(delivery));
};

export const verify: TelephonyProvider['verify'] = (delivery, secrets, { now }) => {
  if (bearerOf(delivery) === null) return { ok: false, reason: 'missing' };
  const token = readToken(delivery);
  if (!token) return { ok: false, reason: 'malformed' };
  const { signed, signature, claims } = token;
  const secret = secrets.find(
    (candidate) => candidate.value !== '' && equalSecrets(signToken(hmacKeyOf(candidate), signed), signature),
  );
  const coverage = coverageOf(delivery, claims);
  if (!secret || coverage === 'other') return { ok: false, reason: 'bad_signature' };
  if (!isComplete(claims)) return { ok: false, reason: 'malformed' };
  if (!isFresh(claims, now)) return { ok: false, reason: 'stale' };
  if (!hasOneReading(delivery) || (coverage === 'nothing' && !asksOnly(delivery)))
    return { ok: false, reason: 'malformed' };
  return { ok: true, secretId: secret.id };
};

const NO_CALL = { uuid: '0'.repeat(32), conversation_uuid: 'CON-00000000-0000-0000-0000-000000000000' };

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ accountId, secret, now }) => {
  const body = JSON.stringify({ ...NO_CALL, direction: 'inbound', status: 'completed' });
  const claims = {
    iat: Math.floor(now / 1_000),
    jti: randomUUID(),
    iss: 'Vonage',
    payload_hash: hash('sha256', body, 'hex'),
    ...(accountId === null ? {} : { api_key: accountId }),
  };
  return { headers: { 'content-type': JSON_TYPE, authorization: `Bearer ${makeToken(claims, secret)}` }, body };
};
