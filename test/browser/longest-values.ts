import assert from 'node:assert/strict';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { waitUntil } from '../harness/wait-until.ts';

export const ADMIN_TOKEN = 'the-admin-token-of-a-browser-test';

/** No browser breaks this by itself. */
const unbroken = (length: number): string => 'W'.repeat(length);

const ACCOUNT_ID = `AC${'0123456789abcdef'.repeat(2)}`;
const SECRET = 'fedcba9876543210'.repeat(2);
const NUMBER = '+15551239999';
const LONGEST_ADDRESS = `${unbroken(64)}@${`${unbroken(60)}.`.repeat(3)}com`;

/** Calls are assembled a little later. */
const waitForCall = async (url: string, externalId: string): Promise<string> => {
  let id: string | undefined;
  await waitUntil('the call is listed', async () => {
    const response = await fetch(`${url}/api/calls`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const { calls } = (await response.json()) as { calls: { id: string; externalId: string }[] };
    id = calls.find((call) => call.externalId === externalId)?.id;
    return id !== undefined;
  });
  return id ?? '';
};

/**
 * Puts the longest value that is accepted into everything that someone can name, and has a call and a refused request
 * with long names come in. Returns the paths of the pages that only these values have.
 */
export const fillInLongestValues = async (url: string): Promise<Record<string, string>> => {
  const ask = async (method: string, path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${text}`);
    return JSON.parse(text);
  };
  await ask('PATCH', '/api/team', {
    name: unbroken(200),
    timeZone: 'America/Argentina/ComodRivadavia',
    reportRecipients: [LONGEST_ADDRESS],
  });
  const { member } = await ask('POST', '/api/members', { email: LONGEST_ADDRESS, name: unbroken(200), role: 'member' });
  await ask('POST', '/api/tokens', { name: unbroken(200) });
  const longestPath = { provider: 'sandbox', connection: 'default', paths: [`/${unbroken(900)}`, `/${unbroken(90)}`] };
  await ask('POST', '/api/tokens', {
    name: unbroken(200),
    can: ['status', 'connect', 'calls', 'recordings', 'reports', 'events'],
    allow: [longestPath, { ...longestPath, methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }],
    writes: 'ask',
  });
  const endpoint = await ask('POST', '/api/events/endpoints', {
    url: `http://localhost:1/${unbroken(1_900)}`,
    description: unbroken(200),
  });
  const account = await ask('POST', '/api/telephony/accounts', {
    provider: 'twilio',
    accountId: ACCOUNT_ID,
    secrets: [SECRET],
  });
  const number = await ask('POST', '/api/telephony/numbers', {
    number: NUMBER,
    label: unbroken(200),
    account: account.id,
    answer: { greeting: unbroken(500), forwardTo: Array.from({ length: 10 }, (_, index) => `+1555123000${index}`) },
  });
  const address = `${url}/api/webhooks/telephony/voice?account=${account.id}`;
  const call = {
    ...{ AccountSid: ACCOUNT_ID, CallSid: `CA${'0123456789abcdef'.repeat(2)}`, CallStatus: 'ringing' },
    ...{ From: `sip:${unbroken(180)}@${unbroken(60)}.example`, CallerName: unbroken(100) },
    ...{ To: NUMBER, Direction: 'inbound' },
  };
  const deliver = (signature: string): Promise<Response> =>
    fetch(address, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature },
      body: new URLSearchParams(call),
    });
  assert.equal((await deliver(getExpectedTwilioSignature(SECRET, address, call))).status, 200);
  assert.equal((await deliver('nonsense')).status, 403);
  const callId = await waitForCall(url, call.CallSid);
  const accountPath = `/settings/telephony/accounts/${account.id}`;
  return {
    'a call with a long name': `/calls/${callId}`,
    'an account with a refused request': accountPath,
    'before removing an account': `${accountPath}/remove`,
    'a number with a long label': `/settings/telephony/numbers/${number.id}`,
    'an endpoint with a long URL': `/settings/endpoints/${endpoint.id}`,
    'a member with a long name': `/settings/members/${member.id}`,
    'before removing a member': `/settings/members/${member.id}/remove`,
  };
};
