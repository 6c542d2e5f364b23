import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

const AT_ONCE = 20;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens with made-up signing keys', () => {
  const asked: string[] = [];
  let answerKeys = (): { status: number; body: string } => ({ status: 500, body: '' });
  const provider = useStage(async () => {
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url !== '/keys') return response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
      const { status, body } = answerKeys();
      return response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { issuer, close: () => server.close() };
  });
  const clock = createTestClock();
  const stage = useStage(() =>
    createTestApp('sqlite', { clock, env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );

  let made = 0;
  const send = async (): Promise<number> => {
    const claims = { iss: provider.issuer, aud: 'patchbay', sub: 'u', team: 't', exp: 4_000_000_000 };
    const token = `${encode({ alg: 'RS256', kid: `made up ${made++}` })}.${encode(claims)}.AAAA`;
    return (await stage.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } })).statusCode;
  };
  const countRequests = async (): Promise<number> => {
    const before = asked.filter((path) => path === '/keys').length;
    for (let index = 0; index < AT_ONCE; index++) assert.equal(await send(), 503);
    return asked.filter((path) => path === '/keys').length - before;
  };

  test('cause one request every few seconds at an identity provider that has trouble', async () => {
    assert.equal(await countRequests(), 1);
    clock.advance(3_000);
    assert.equal(await countRequests(), 1);
  });

  test('cause no more if its keys make no sense', async () => {
    answerKeys = () => ({ status: 200, body: '{"keys":"none"}' });
    clock.advance(3_000);
    assert.equal(await countRequests(), 1);
  });
});
