import { hash, randomUUID } from 'node:crypto';
import { JSON_TYPE } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { signToken } from './token.ts';

const LEG = '0'.repeat(32);
const CONVERSATION = 'CON-00000000-0000-0000-0000-000000000000';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const sampleNotice: TelephonyProvider['sampleNotice'] = ({ accountId, secret, now }) => {
  const body = JSON.stringify({
    uuid: LEG,
    conversation_uuid: CONVERSATION,
    direction: 'inbound',
    status: 'completed',
  });
  const claims = {
    iat: Math.floor(now / 1_000),
    jti: randomUUID(),
    iss: 'Vonage',
    payload_hash: hash('sha256', body, 'hex'),
    ...(accountId === null ? {} : { api_key: accountId }),
  };
  const signed = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(claims)}`;
  return {
    headers: { 'content-type': JSON_TYPE, authorization: `Bearer ${signed}.${signToken(secret, signed)}` },
    body,
  };
};
