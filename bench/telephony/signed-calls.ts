import { createHmac, randomBytes } from 'node:crypto';
import type { Ready } from '../child-server.ts';

/** A phone line at a server of the benchmark: where to send its calls, and how to sign them. */
export type Line = Ready & { accountId: string; authToken: string; publicUrl: string };

/** Makes IDs of calls, one after another. No other series of IDs has the same ones, not even in another process. */
export const numberCalls = () => {
  const series = randomBytes(6).toString('hex');
  let made = 0;
  return { series: `CA${series}`, next: (): string => `CA${series}${(++made).toString(16).padStart(20, '0')}` };
};

const { next: nextCallSid } = numberCalls();

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

/** The fields that the provider sends when a call begins. */
export const describeCall = (accountId: string, callSid: string, from = '+15551230001'): Record<string, string> => ({
  AccountSid: accountId,
  ApiVersion: '2010-04-01',
  CallSid: callSid,
  CallStatus: 'ringing',
  Called: '+15551239999',
  CalledCity: '',
  CalledCountry: 'US',
  CalledState: 'CA',
  CalledZip: '',
  Caller: from,
  CallerCity: 'SAN FRANCISCO',
  CallerCountry: 'US',
  CallerState: 'CA',
  CallerZip: '94105',
  Direction: 'inbound',
  From: from,
  FromCity: 'SAN FRANCISCO',
  FromCountry: 'US',
  FromState: 'CA',
  FromZip: '94105',
  To: '+15551239999',
  ToCity: '',
  ToCountry: 'US',
  ToState: 'CA',
  ToZip: '',
});

/** The whole HTTP request that the provider sends when a call begins, ready to be written to a socket. */
export const signCall = (
  { url, accountId, authToken, publicUrl }: Line,
  { callSid = nextCallSid(), from }: { callSid?: string; from?: string } = {},
): Buffer => {
  const { pathname, search, host } = new URL(url);
  const target = `${pathname}${search}`;
  const params = describeCall(accountId, callSid, from);
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
};

export const signCalls = (line: Line, count: number): Buffer[] => Array.from({ length: count }, () => signCall(line));
