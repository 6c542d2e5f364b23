import { createHmac } from 'node:crypto';
import type { Ready } from '../child-server.ts';

/** What a server of the benchmark listens to. */
export type Line = Ready & { accountId: string; authToken: string; publicUrl: string };

let made = 0;

const sign = (authToken: string, address: string, params: Record<string, string>): string =>
  createHmac('sha1', authToken)
    .update(
      address +
        Object.keys(params)
          .sort()
          .map((name) => `${name}${params[name]}`)
          .join(''),
    )
    .digest('base64');

/** Requests for calls that begin, each another call, as the provider sends them: whole, ready to be written. */
export const makeSignedCalls = ({ url, accountId, authToken, publicUrl }: Line, count: number): Buffer[] => {
  const { pathname, search, host } = new URL(url);
  const target = `${pathname}${search}`;
  return Array.from({ length: count }, () => {
    const params = {
      AccountSid: accountId,
      ApiVersion: '2010-04-01',
      CallSid: `CA${(++made).toString(16).padStart(32, '0')}`,
      CallStatus: 'ringing',
      Called: '+15551239999',
      CalledCity: '',
      CalledCountry: 'US',
      CalledState: 'CA',
      CalledZip: '',
      Caller: '+15551230001',
      CallerCity: 'SAN FRANCISCO',
      CallerCountry: 'US',
      CallerState: 'CA',
      CallerZip: '94105',
      Direction: 'inbound',
      From: '+15551230001',
      FromCity: 'SAN FRANCISCO',
      FromCountry: 'US',
      FromState: 'CA',
      FromZip: '94105',
      To: '+15551239999',
      ToCity: '',
      ToCountry: 'US',
      ToState: 'CA',
      ToZip: '',
    };
    const body = new URLSearchParams(params).toString();
    const head = [
      `POST ${target} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/x-www-form-urlencoded',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-twilio-signature: ${sign(authToken, `${publicUrl}${target}`, params)}`,
      'user-agent: TwilioProxy/1.1',
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
};
