import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiscovery } from '../../src/integrations/requests/discovery.ts';
import { type Outbound, OutboundFailed } from '../../src/platform/index.ts';
import { createTestClock, createTestLog } from '../harness/app.ts';

const AWAY = { code: 'integrations.issuer_away' };
const MOMENT_MS = 10_000;
const HOUR_MS = 3_600_000;
const ISSUER = 'https://id.example.com';

/** An issuer that hangs, unless it's told to answer. */
const startIssuer = () => {
  const clock = createTestClock();
  let asked = 0;
  let tokenUrl: string | null = null;
  const request: Outbound['request'] = async ({ timeoutMs }) => {
    asked++;
    if (tokenUrl === null) {
      clock.advance(timeoutMs);
      throw new OutboundFailed('timeout', 'id.example.com');
    }
    const endpoints = { authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: tokenUrl };
    const body = Buffer.from(JSON.stringify({ issuer: ISSUER, ...endpoints }));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };
  const outbound: Outbound = { request, open: () => assert.fail('nobody asks for a stream') };
  const discover = createDiscovery({ outbound, clock, log: createTestLog().log });
  const provider = { record: { id: 'slow', name: 'Slow', issuer: ISSUER, scopes: [] }, custom: true };
  return {
    clock,
    countAsked: () => asked,
    answer(url: string | null): void {
      tokenUrl = url;
    },
    findTokenUrl: async () => (await discover(provider)).record.token.url,
    fail: () => assert.rejects(async () => discover(provider), AWAY),
  };
};

test('an issuer that hangs lets nobody wait again right after it has failed', async () => {
  const { clock, countAsked, fail } = startIssuer();
  await fail();
  const before = countAsked();
  for (let count = 0; count < 5; count++) await fail();
  assert.equal(countAsked(), before);
  clock.advance(MOMENT_MS);
  await fail();
  assert.ok(countAsked() > before);
});

test('an issuer that hangs is known by its last response, and asked again an hour later', async () => {
  const { clock, countAsked, answer, findTokenUrl } = startIssuer();
  answer(`${ISSUER}/token`);
  assert.equal(await findTokenUrl(), `${ISSUER}/token`);
  answer(null);
  clock.advance(HOUR_MS - 1);
  assert.equal(await findTokenUrl(), `${ISSUER}/token`);
  assert.equal(countAsked(), 1);
  clock.advance(1);
  assert.equal(await findTokenUrl(), `${ISSUER}/token`);
  assert.ok(countAsked() > 1);
  answer(`${ISSUER}/new`);
  clock.advance(HOUR_MS);
  assert.equal(await findTokenUrl(), `${ISSUER}/new`);
});

test('an issuer is asked again when the clock was set back, whether it has failed or responded', async () => {
  const { clock, answer, findTokenUrl, fail } = startIssuer();
  await fail();
  answer(`${ISSUER}/token`);
  clock.advance(-24 * HOUR_MS);
  assert.equal(await findTokenUrl(), `${ISSUER}/token`);
  answer(`${ISSUER}/new`);
  clock.advance(-24 * HOUR_MS);
  assert.equal(await findTokenUrl(), `${ISSUER}/new`);
});
