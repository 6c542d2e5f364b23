import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import {
  expectConnected,
  expectParked,
  expectRefused,
  startConnectStage,
  withParams,
} from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine('a callback signed by the provider', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { shopify: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const comeBack = async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'shopify', { params: { shop: 'my-store' } });
    const back = flow.consent(authorizationUrl);
    const params = Object.fromEntries(new URL(back, 'http://localhost').searchParams);
    return { back, cookie, params, hmac: params['hmac'] ?? '' };
  };

  const sign = ({ hmac: _, ...params }: Record<string, string>, key: string): string =>
    createHmac('sha256', key)
      .update(
        Object.entries(params)
          .map(([name, value]) => `${name}=${value}`)
          .sort()
          .join('&'),
      )
      .digest('hex');

  type Back = Awaited<ReturnType<typeof comeBack>>;

  const FORGERIES: Record<string, (back: Back) => Record<string, string | null>> = {
    'no signature': () => ({ hmac: null }),
    'an empty signature': () => ({ hmac: '' }),
    'one digit changed': ({ hmac }) => ({ hmac: `${hmac.slice(0, -1)}${hmac.endsWith('0') ? '1' : '0'}` }),
    'a part of the signature': ({ hmac }) => ({ hmac: hmac.slice(0, 32) }),
    'more than the signature': ({ hmac }) => ({ hmac: `${hmac}00` }),
    'the signature in base64': ({ hmac }) => ({ hmac: Buffer.from(hmac, 'hex').toString('base64') }),
    'a signature with an empty key': ({ params }) => ({ hmac: sign(params, '') }),
    'a signature with the id for a key': ({ params }) => ({ hmac: sign(params, 'client-of-shopify') }),
    'what an unset variable leaves': () => ({ hmac: 'undefined' }),
    'another code': () => ({ code: 'a-code-of-the-attacker' }),
    'another shop': () => ({ shop: 'other-store.myshopify.com' }),
    'a shop elsewhere': () => ({ shop: 'evil.example' }),
    'another moment': () => ({ timestamp: '1' }),
    'a param more': () => ({ host: 'YWRtaW4' }),
    'a param less': () => ({ timestamp: null }),
  };

  for (const [what, forge] of Object.entries(FORGERIES))
    test(`is refused with ${what}, before any token request`, async () => {
      const come = await comeBack();
      const before = flow.exchanges();
      const answer = await flow.arrive(withParams(come.back, forge(come)), { cookie: come.cookie });
      expectRefused(answer, 400, 'integrations.callback_malformed');
      assert.equal(flow.exchanges(), before);
      assert.equal(await flow.statusOf(team.member, 'shopify'), 'disconnected');
    });

  test('is not trusted just because it was parked first', async () => {
    const { back } = await comeBack();
    const before = flow.exchanges();
    const attempt = expectParked(await flow.arrive(withParams(back, { code: 'a-code-of-the-attacker' })), 'shopify');
    const answer = await flow.complete(team.member, attempt, 'shopify');
    expectRefused(answer, 400, 'integrations.callback_malformed');
    assert.equal(flow.exchanges(), before);
  });

  test('is accepted exactly as signed', async () => {
    const { back, cookie } = await comeBack();
    expectConnected(await flow.arrive(back, { cookie }), 'shopify');
  });
});
