import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiscovery } from '../../src/integrations/requests/discovery.ts';
import { type Outbound, OutboundFailed } from '../../src/platform/index.ts';
import { createTestClock, createTestLog } from '../harness/app.ts';

const AWAY = { code: 'integrations.issuer_away' };
const MOMENT_MS = 10_000;

test('an issuer that hangs lets nobody wait again right after it has failed', async () => {
  const clock = createTestClock();
  let asked = 0;
  const refuse = async ({ timeoutMs = 0 }: { timeoutMs?: number }): Promise<never> => {
    asked++;
    clock.advance(timeoutMs);
    throw new OutboundFailed('timeout', 'id.example.com');
  };
  const outbound: Outbound = { request: refuse, open: refuse };
  const discover = createDiscovery({ outbound, clock, log: createTestLog().log });
  const provider = { record: { id: 'slow', name: 'Slow', issuer: 'https://id.example.com', scopes: [] }, custom: true };
  const fail = () => assert.rejects(async () => discover(provider), AWAY);
  await fail();
  const before = asked;
  for (let count = 0; count < 5; count++) await fail();
  assert.equal(asked, before);
  clock.advance(MOMENT_MS);
  await fail();
  assert.ok(asked > before);
});
