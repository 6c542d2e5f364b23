import { randomBytes } from 'node:crypto';
import { type Delivery, FORM } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { NONCE, SIGNATURES, sign, signedText } from './verify.ts';

const CALL = '00000000-0000-0000-0000-000000000000';

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ address, accountId, secret }) => {
  const { origin, pathname, search } = new URL(address);
  const body = new URLSearchParams({
    CallUUID: CALL,
    ...(accountId === null ? {} : { ParentAuthID: accountId }),
    Event: 'Hangup',
    CallStatus: 'completed',
  }).toString();
  const headers = { 'content-type': FORM };
  const delivery: Delivery = {
    route: 'voice',
    method: 'POST',
    target: `${pathname}${search}`,
    headers,
    body: Buffer.from(body),
  };
  const nonce = randomBytes(16).toString('hex');
  const signature = sign(secret, signedText(delivery, { publicUrl: origin }), nonce);
  return { headers: { ...headers, [SIGNATURES[0]]: signature, [NONCE]: nonce }, body };
};
