import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock, createTestLog } from '../../../test/harness/app.ts';
import { type Outbound, OutboundFailed } from '../../platform/index.ts';
import { createDiscovery } from './discovery.ts';

const AWAY = { code: 'integrations.issuer_away' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An issuer that moves its token endpoint with each request, and may be away. */
const openIssuer = () => {
  const clock = createTestClock();
  const issuer = { isAway: false, asked: 0 };
  const request = async ({ url }: { url: string }) => {
    if (issuer.isAway) throw new OutboundFailed('network', 'id.example.com');
    const { origin } = new URL(url);
    const body = JSON.stringify({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token/${++issuer.asked}`,
    });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  };
  const discover = createDiscovery({ outbound: { request } as unknown as Outbound, clock, log: createTestLog().log });
  /** The token endpoint as it's known now. */
  const lookUp = async (id = 'acme'): Promise<string> => {
    const entry = { record: { id, name: id, issuer: `https://${id}.example.com`, scopes: [] }, custom: true };
    return (await discover(entry)).record.token.url;
  };
  return { clock, issuer, lookUp };
};

describe("an issuer's configuration", () => {
  test('is fetched once for all who need it, and again after an hour', async () => {
    const { clock, issuer, lookUp } = openIssuer();
    const first = 'https://acme.example.com/token/1';
    assert.deepEqual(await Promise.all([lookUp(), lookUp(), lookUp()]), [first, first, first]);
    clock.advance(HOUR_MS - 1);
    assert.equal(await lookUp(), first);
    clock.advance(1);
    assert.equal(await lookUp(), 'https://acme.example.com/token/2');
    assert.equal(await lookUp('beta'), 'https://beta.example.com/token/3', 'Each has its own.');
    assert.equal(issuer.asked, 3);
  });

  test('is what the issuer said last while it is away', async () => {
    const { clock, issuer, lookUp } = openIssuer();
    const first = await lookUp();
    issuer.isAway = true;
    clock.advance(HOUR_MS);
    assert.equal(await lookUp(), first);
    issuer.isAway = false;
    clock.advance(HOUR_MS);
    assert.notEqual(await lookUp(), first);
  });

  test('is fetched again if the clock was set back since, and so is one that could not be fetched', async () => {
    for (const jumpMs of [MINUTE_MS, 24 * HOUR_MS]) {
      const { clock, issuer, lookUp } = openIssuer();
      issuer.isAway = true;
      await assert.rejects(lookUp(), AWAY);
      issuer.isAway = false;
      clock.advance(-jumpMs);
      const first = await lookUp();
      clock.advance(-jumpMs);
      assert.notEqual(await lookUp(), first);
    }
  });
});
