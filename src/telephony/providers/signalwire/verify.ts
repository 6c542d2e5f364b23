import { contentTypeOf, type Delivery, FORM, queryOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import type { Dialect } from '../../markup/dialect.ts';
import { verifyMarkup } from '../../markup/verify.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const DIALECT: Dialect = {
  signatureHeaders: ['x-signalwire-signature', 'x-twilio-signature'],
  ids: { CallSid: UUID, ParentCallSid: UUID, DialCallSid: UUID, AccountSid: UUID, RecordingSid: UUID },
};

const namesOf = (delivery: Delivery): string[] => {
  const query = [...queryOf(delivery).keys()];
  const isForm = delivery.method === 'POST' && contentTypeOf(delivery) === FORM;
  return isForm ? [...query, ...new URLSearchParams(delivery.body.toString('utf8')).keys()] : query;
};

/**
 * As the shared markup is verified, and no name twice: the vendor's library joins the values of a repeated one as they
 * come, others sort them (seen November 2026, @signalwire/compatibility-api 3.2.0), and no delivery of a call has any.
 */
export const verify: TelephonyProvider['verify'] = (delivery, secrets, context) => {
  const verdict = verifyMarkup(DIALECT)(delivery, secrets, context);
  const names = namesOf(delivery);
  return verdict.ok && new Set(names).size < names.length ? { ok: false, reason: 'malformed' } : verdict;
};
