import { JSON_TYPE } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { encodeBasic } from './verify.ts';

const CALL = `c-${'0'.repeat(8)}-${'0'.repeat(32)}`;

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ accountId, secret }) => ({
  headers: { 'content-type': JSON_TYPE, authorization: `Basic ${encodeBasic(secret)}` },
  body: JSON.stringify({ eventType: 'disconnect', accountId, callId: CALL }),
});
