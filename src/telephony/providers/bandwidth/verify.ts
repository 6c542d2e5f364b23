import { equalSecrets } from '../../../platform/index.ts';
import { type Delivery, headerOf, isEachOnce, JSON_TYPE, queryOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { basicAuth } from '../../provider-parts/request-media.ts';
import { fieldsOf, isOurs } from './fields.ts';

const BASIC = /^basic +(\S+)$/i;
/** Format of a complete secret: username, colon, password. An incomplete one verifies nothing. */
const WHOLE_SECRET = /^[^:]+:.+$/;

const ID = /^[\w-]{1,128}$/;
const IDS = ['callId', 'parentCallId', 'recordingId'];
const EVENT_TYPE = /^[A-Za-z]{1,64}$/;

const fitsGrammar = (delivery: Delivery): boolean => {
  const fields = fieldsOf(delivery);
  const isId = (value: unknown): boolean => typeof value === 'string' && ID.test(value);
  return (
    typeof fields['eventType'] === 'string' &&
    EVENT_TYPE.test(fields['eventType']) &&
    IDS.every((name) => (fields[name] ?? null) === null || isId(fields[name]))
  );
};

/**
 * Whether a delivery can be read in only one way: no name is repeated in the query, a GET has no body, and a POST's
 * query has only our own names.
 */
const hasOneReading = (delivery: Delivery): boolean => {
  const names = [...queryOf(delivery).keys()];
  if (!isEachOnce(names)) return false;
  return delivery.method === 'GET' ? delivery.body.length === 0 : names.every(isOurs);
};

/**
 * Verifies the username and password. Nothing is signed, so anyone who has them can send anything. Bandwidth first
 * sends a request without them, and expects a 401 with a challenge (docs: "Webhooks, Authentication"; seen November
 * 2026). They are compared in encoded form, so that nothing can be decoded in two ways.
 */
export const verify: TelephonyProvider['verify'] = (delivery, secrets) => {
  const given = BASIC.exec(headerOf(delivery, 'authorization') ?? '')?.[1];
  if (given === undefined) return { ok: false, reason: 'missing' };
  const secret = secrets.find(
    ({ value }) => WHOLE_SECRET.test(value) && equalSecrets(basicAuth(value), `Basic ${given}`),
  );
  if (!secret) return { ok: false, reason: 'bad_signature' };
  if (!hasOneReading(delivery) || !fitsGrammar(delivery)) return { ok: false, reason: 'malformed' };
  return { ok: true, secretId: secret.id };
};

const NO_CALL = `c-${'0'.repeat(8)}-${'0'.repeat(32)}`;

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ accountId, secret }) => ({
  headers: { 'content-type': JSON_TYPE, authorization: basicAuth(secret) },
  body: JSON.stringify({ eventType: 'disconnect', accountId, callId: NO_CALL }),
});
