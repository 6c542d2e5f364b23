import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { fastify } from 'fastify';
import type { Server } from '../contract/routes.ts';
import { useCleanForwardedFor } from './clean-forwarded-for.ts';
import { createSenderOf } from './sender-of.ts';
import { strangerKey } from './stranger-key.ts';
import { createTrustedProxies } from './trusted-proxies.ts';

const PROXIES = ['10.0.0.0/8', '2001:db8:9::/48'];
const REMOTE = ['10.0.0.1', '::ffff:10.0.0.1', '203.0.113.1', '2001:db8:1::1', '2001:db8:9::1'];
const FORWARDED = [
  undefined,
  '',
  '198.51.100.1',
  '198.51.100.1:443',
  '198.51.100.1, 10.0.0.2',
  '198.51.100.1, 198.51.100.2, 10.0.0.2',
  '10.0.0.3, 10.0.0.2',
  'unknown, 10.0.0.2',
  'unknown',
  '[2001:db8:7::1]:443, 10.0.0.2',
  '::ffff:198.51.100.1',
];

test('the sender is known before the request is handled, and is the same as afterward', async (context) => {
  const server = fastify({ trustProxy: PROXIES });
  context.after(() => server.close());
  useCleanForwardedFor(server as unknown as Server);
  server.get('/', async ({ ip }) => strangerKey(ip));
  const senderOf = createSenderOf(createTrustedProxies(PROXIES));
  for (const remoteAddress of REMOTE)
    for (const forwarded of FORWARDED) {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const { body } = await server.inject({ url: '/', remoteAddress, headers });
      const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
      assert.equal(senderOf(request), body, `${remoteAddress} for ${forwarded}`);
      assert.equal(senderOf(request), body, 'It is remembered.');
    }
});
