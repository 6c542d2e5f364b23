import assert from 'node:assert/strict';
import { SECRETS } from './app.ts';
import { OPERATOR } from './customers.ts';
import type { Serving } from './serve-process.ts';
import { addPhoneAccount, deliver, isKept } from './telephony-serve.ts';
import { signForm } from './telephony-stage.ts';
import { tellStory } from './telephony-stories.ts';
import { waitUntil } from './wait-until.ts';
import { walkSandbox } from './walk-sandbox.ts';

type Headers = Readonly<Record<string, string>>;

/** What someone can do with a service over HTTP alone, whichever version it is. */
export type Walked = {
  customer: string;
  accessToken: string;
  account: string;
  calls: { externalId: string; outcome: string }[];
  events: string[];
  week: string;
};

const CRON = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
/** Finished, whenever this runs. */
const WEEK = '2026-W45';

/**
 * A bit of everything that writes: a customer's team, a connection with its token, calls that were answered and missed,
 * their events and an endpoint for them, and a report. Fails at the first thing that doesn't work.
 */
export const walkThrough = async (serving: Serving, customer = 'walked'): Promise<Walked> => {
  const url = `http://localhost:${serving.port}`;
  const ask = async (method: string, path: string, headers: Headers, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };

  await ask('PUT', `/api/operator/teams/${customer}`, OPERATOR, { name: 'A customer' });
  const asCustomer = { ...OPERATOR, 'patchbay-team': customer };
  const arrived = await walkSandbox(url, asCustomer);
  assert.equal(arrived.status, 200, await arrived.text());
  const { accessToken } = await ask('POST', '/api/integrations/sandbox/token', asCustomer);
  const { integrations } = await ask('GET', '/api/integrations/status', asCustomer);
  const connected = integrations.find(({ provider }: { provider: string }) => provider === 'sandbox');
  assert.equal(connected.status, 'connected');
  await ask('GET', '/api/integrations/sandbox/proxy/contacts', asCustomer);

  await ask('POST', '/api/events/endpoints', asCustomer, { url: 'http://127.0.0.1:9/nowhere', types: ['*'] });
  const phone = await addPhoneAccount(serving, {}, asCustomer);
  const stories = [tellStory('answered'), tellStory('missed')];
  for (const { path, query, params } of stories.flatMap(({ chapters }) => chapters)) {
    const address = `${url}${path}?account=${phone.id}${query}`;
    const signed = signForm(address, { AccountSid: phone.accountId, ...params });
    assert.ok(isKept(await deliver(serving, { ...signed, url: address.slice(url.length) })), path);
  }
  const wanted = stories.map(({ sid, ending }) => ({ externalId: sid, outcome: ending.outcome }));
  const listCalls = async (): Promise<Walked['calls']> => {
    const { calls } = await ask('GET', '/api/calls?limit=100', asCustomer);
    return calls.map(({ externalId, outcome }: Walked['calls'][0]) => ({ externalId, outcome }));
  };
  await waitUntil('the calls are there', async () => {
    const listed = await listCalls();
    return wanted.every((call) => listed.some((one) => JSON.stringify(one) === JSON.stringify(call)));
  });

  const { reports } = await ask('GET', `/api/cron/weekly-report?week=${WEEK}`, CRON);
  assert.ok(reports.some(({ state }: { state: string }) => state === 'created' || state === 'existing'));
  const { events } = await ask('GET', '/api/events?limit=100', asCustomer);
  assert.ok(events.some(({ type }: { type: string }) => type === 'call.missed'));
  for (const path of ['/api/audit', '/api/members', '/api/tokens', '/api/team', '/api/reports'])
    await ask('GET', path, asCustomer);
  return {
    customer,
    accessToken,
    account: connected.account.id,
    calls: wanted,
    events: events.map(({ id }: { id: string }) => id),
    week: WEEK,
  };
};
