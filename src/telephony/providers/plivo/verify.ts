import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { equalSecrets } from '../../../platform/index.ts';
import { contentTypeOf, type Delivery, FORM, headerOf, isEachOnce, queryOf } from '../../contract/delivery.ts';
import type { TelephonyProvider, VerifyContext } from '../../contract/provider.ts';
import { paramsOf } from '../../markup/params.ts';
import { hmacKeyOf } from '../../provider-parts/hmac-key.ts';
import { fitsGrammar, isPlainQuery } from './grammar.ts';

/**
 * Headers with signatures. The first is signed with the token of the account or subaccount that owns the number, the
 * second always with the main account's. V2 signatures cover neither body nor query, so they aren't accepted.
 */
const SIGNATURES = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3'] as const;
const NONCE = 'x-plivo-signature-v3-nonce';
/** Format of the nonce. It has no dot, because a dot separates the parameters from the nonce. */
const NONCE_FORM = /^[A-Za-z0-9_-]{1,128}$/;
/** Limit for signatures. There is one for each active token. */
const MOST_SIGNATURES = 10;

type Pair = readonly [string, string];

const byUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const sorted = (pairs: Iterable<Pair>): Pair[] =>
  [...pairs].sort((left, right) => byUnit(left[0], right[0]) || byUnit(left[1], right[1]));

const formOf = (delivery: Omit<Delivery, 'route'>): Pair[] =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM
    ? [...new URLSearchParams(delivery.body.toString('utf8'))]
    : [];

/** Returns what is signed, except the nonce. Query and form are both signed in decoded form. */
export const signedText = (
  delivery: Omit<Delivery, 'route'>,
  { publicUrl }: Pick<VerifyContext, 'publicUrl'>,
): string => {
  const { protocol, host } = new URL(publicUrl);
  const [path = ''] = delivery.target.split('?', 1);
  const query = sorted(queryOf(delivery))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const form = sorted(formOf(delivery))
    .map(([name, value]) => `${name}${value}`)
    .join('');
  const mark = query !== '' || form !== '' ? '?' : '';
  return `${protocol}//${host}${path}${mark}${query}${query !== '' && form !== '' ? '.' : ''}${form}`;
};

export const sign = (key: KeyObject | string, text: string, nonce: string): string =>
  createHmac('sha256', key).update(`${text}.${nonce}`, 'utf8').digest('base64');

const signaturesOf = (delivery: Delivery): string[] =>
  SIGNATURES.flatMap((name) => (headerOf(delivery, name) ?? '').split(','))
    .map((signature) => signature.trim())
    .filter((signature) => signature !== '')
    .slice(0, MOST_SIGNATURES);

const isReadOneWay = (delivery: Delivery): boolean => {
  const form = formOf(delivery);
  return (
    (delivery.method === 'GET' || form.length > 0) &&
    isEachOnce(form.map(([name]) => name)) &&
    isPlainQuery(delivery) &&
    fitsGrammar(paramsOf(delivery))
  );
};

/** Verifies V3 signatures with any of the account's tokens. Signatures don't expire, so `keyOf` detects replays. */
export const verify: TelephonyProvider['verify'] = (delivery, secrets, context) => {
  const signatures = signaturesOf(delivery);
  const nonce = headerOf(delivery, NONCE);
  if (signatures.length === 0 || nonce === null) return { ok: false, reason: 'missing' };
  if (!NONCE_FORM.test(nonce)) return { ok: false, reason: 'malformed' };
  const text = signedText(delivery, context);
  const secret = secrets.find((candidate) => {
    const expected = sign(hmacKeyOf(candidate), text, nonce);
    return candidate.value !== '' && signatures.some((signature) => equalSecrets(expected, signature));
  });
  if (!secret) return { ok: false, reason: 'bad_signature' };
  return isReadOneWay(delivery) ? { ok: true, secretId: secret.id } : { ok: false, reason: 'malformed' };
};

const NO_CALL = '00000000-0000-0000-0000-000000000000';

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ address, accountId, secret }) => {
  const { origin: publicUrl, pathname, search } = new URL(address);
  const body = new URLSearchParams({
    CallUUID: NO_CALL,
    ...(accountId === null ? {} : { ParentAuthID: accountId }),
    Event: 'Hangup',
    CallStatus: 'completed',
  }).toString();
  const headers = { 'content-type': FORM };
  const target = `${pathname}${search}`;
  const text = signedText({ method: 'POST', target, headers, body: Buffer.from(body) }, { publicUrl });
  const nonce = randomBytes(16).toString('hex');
  return { headers: { ...headers, [SIGNATURES[0]]: sign(secret, text, nonce), [NONCE]: nonce }, body };
};
