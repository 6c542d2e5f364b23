import { FORM } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { signMarkup } from './simulate.ts';

/** The end of a call with an id that no call has. */
export const sampleMarkup =
  (signatureHeader: string, callSid: string): TelephonyProvider['sampleNotice'] =>
  ({ address, accountId, secret }) => {
    const body = new URLSearchParams({
      ...(accountId === null ? {} : { AccountSid: accountId }),
      CallSid: callSid,
      CallStatus: 'completed',
    }).toString();
    return { headers: { 'content-type': FORM, ...signMarkup(signatureHeader)({ body }, address, secret) }, body };
  };
