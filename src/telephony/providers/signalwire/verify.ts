import { contentTypeOf, type Delivery, FORM, isEachOnce, queryOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import type { Dialect } from '../../markup/dialect.ts';
import { verifyMarkup } from '../../markup/verify.ts';
import { UUID } from '../../provider-parts/values.ts';

const toUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');

export const DIALECT: Dialect = {
  signatureHeaders: ['x-signalwire-signature', 'x-twilio-signature'],
  ids: { CallSid: UUID, ParentCallSid: UUID, DialCallSid: UUID, AccountSid: UUID, RecordingSid: UUID },
  toCallSid: toUuid,
  toRecordingSid: toUuid,
};

const namesOf = (delivery: Delivery): string[] => {
  const query = [...queryOf(delivery).keys()];
  const isForm = delivery.method === 'POST' && contentTypeOf(delivery) === FORM;
  return isForm ? [...query, ...new URLSearchParams(delivery.body.toString('utf8')).keys()] : query;
};

const verifySharedMarkup = verifyMarkup(DIALECT);

/**
 * Verifies like the shared markup, but no name may appear twice. SignalWire's library joins repeated values in the
 * order they come, others sort them (seen November 2026, @signalwire/compatibility-api 3.2.0). Deliveries about calls
 * have no repeated names.
 */
export const verify: TelephonyProvider['verify'] = (delivery, secrets, context) => {
  const verdict = verifySharedMarkup(delivery, secrets, context);
  return verdict.ok && !isEachOnce(namesOf(delivery)) ? { ok: false, reason: 'malformed' } : verdict;
};
