import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

const PROXY = '10.0.0.1';
/** As long as headers may be. */
const MANY = 1_500;

const addresses: Routes = (server) => {
  server.get('/api/addresses', { config: { access: 'anyone' }, schema: { hide: true } }, async ({ ip, ips }) => ({
    ip,
    count: ips?.length,
  }));
};

describe('a very long "X-Forwarded-For"', () => {
  const house = useStage(() =>
    createTestApp('sqlite', { env: { PATCHBAY_TRUSTED_PROXIES: '10.0.0.0/8' }, routes: [addresses] }),
  );
  const read = async (forwardedFor: string): Promise<{ ip: string; count: number }> => {
    const headers = { 'x-forwarded-for': forwardedFor };
    const response = await house.server.inject({ url: '/api/addresses', remoteAddress: PROXY, headers });
    assert.equal(response.statusCode, 200, response.body);
    return response.json();
  };

  test('is read from its end, and only for a few hops', async () => {
    const { count } = await read(Array(MANY).fill('10.0.0.2').join(','));
    assert.ok(count <= 21, `${count} addresses were looked at.`);
  });

  test('still names the caller, whatever else they sent', async () => {
    for (const sent of ['198.51.100.1', '10.0.0.3', '::1', 'x', ''])
      assert.equal((await read(`${`${sent},`.repeat(MANY)}203.0.113.7, 10.0.0.2`)).ip, '203.0.113.7', sent);
  });

  test('is cut between entries, so that no part of one counts as an address', async () => {
    for (let spaces = 0; spaces < 12; spaces++) {
      const { ip } = await read(`203.0.113.77,${' '.repeat(1_970 + spaces)}10.0.0.2,10.0.0.3`);
      assert.ok(['203.0.113.77', '10.0.0.2'].includes(ip), ip);
    }
    assert.equal((await read('1'.repeat(9_000))).ip, PROXY);
  });
});
