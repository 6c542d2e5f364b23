import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { expectConnected, expectParked, startConnectStage } from '../harness/connect-flow.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

describe('a forged binding cookie', () => {
  const flow = useStage(() => startConnectStage('sqlite'));
  const team = prepare(() => flow.stage.createTeam('acme'));

  test('proves nothing, whatever part of the state it is made from', async () => {
    const other = await flow.begin(team.admin);
    const make: Record<string, (state: string, secret: string) => string> = {
      'the state': (state) => state,
      'the digest of the state': (state) => createHash('sha256').update(state).digest('base64url'),
      'the digest of the true cookie': (_, secret) => createHash('sha256').update(secret).digest('base64url'),
      'the digest in hex': (_, secret) => createHash('sha256').update(secret).digest('hex'),
      'a part of the state': (state) => state.slice(-43),
      'a random value': () => randomBytes(32).toString('base64url'),
      'an empty value': () => '',
      'what an unset variable leaves': () => 'undefined',
      null: () => 'null',
      'the cookie of another flow': () => other.cookie.split('=')[1] ?? '',
      'the true one with a character more': (_, secret) => `${secret}A`,
      'the true one with a character less': (_, secret) => secret.slice(0, -1),
      'the true one in capitals': (_, secret) => secret.toUpperCase(),
    };
    for (const [what, forge] of Object.entries(make)) {
      const { authorizationUrl, state, cookie } = await flow.begin(team.member);
      const [name = '', secret = ''] = cookie.split('=');
      const before = flow.exchanges();
      const answer = await flow.arrive(flow.consent(authorizationUrl), { cookie: `${name}=${forge(state, secret)}` });
      assert.equal(answer.statusCode, 202, `${what}: ${answer.body}`);
      expectParked(answer);
      assert.equal(flow.exchanges(), before, what);
    }
  });

  test('proves nothing under another name or in another header', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const [, secret = ''] = cookie.split('=');
    const before = flow.exchanges();
    const headers = { cookie: `__Host-patchbay_connect=${secret}`, 'x-patchbay-connect': secret };
    expectParked(await flow.arrive(flow.consent(authorizationUrl), headers));
    assert.equal(flow.exchanges(), before);
  });

  test('next to the real one does not invalidate the real one', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie: `other=1; ${cookie}` }));
  });
});
