import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Grant, SimulatedProvider } from '../../../../test/harness/provider-simulator/simulated-provider.ts';
import { createWebhookKey } from '../../../../test/harness/provider-simulator/webhook-key.ts';
import { buildWithdrawal } from '../../../../test/harness/provider-simulator/withdrawal-message.ts';
import { onlyItemOf, readEntry, readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';
import { URL_OF_OURS } from '../../../../test/harness/webhook-senders/signing.ts';
import type { SignAs } from '../../../../test/harness/webhook-senders.ts';
import * as sender from '../../../../test/harness/webhook-senders.ts';

const NOW = Date.parse('2026-11-15T12:00:00.500Z');
const SECONDS = Math.floor(NOW / 1_000);
const SECRET = 'a-secret';

const SENDERS: Record<string, SignAs> = {
  slack: sender.signAsSlack,
  square: sender.signAsSquare,
  stripe: sender.signAsStripe,
  zoom: sender.signAsZoom,
};

const revoked = { type: 'tokens_revoked', tokens: { oauth: ['U1', 'U2'], bot: ['UBOT'] } };
const slack = (event: object, changes: object = {}) => ({
  ...{ token: 'XXYYZZ', team_id: 'T1', api_app_id: 'A1', event, type: 'event_callback', event_id: 'Ev1' },
  event_time: SECONDS,
  ...changes,
});
const square = (changes: object = {}) => ({
  ...{ merchant_id: 'M1', type: 'oauth.authorization.revoked', event_id: 'e1', created_at: '2026-11-15T11:00:01Z' },
  data: { type: 'revocation', id: 'r1', object: { revocation: { revoked_at: '2026-11-15T11:00:00.25Z' } } },
  ...changes,
});

const withdrawalIn = async (provider: string, content: unknown) => {
  const message = await SENDERS[provider]?.(JSON.stringify(content), { secret: SECRET, now: NOW });
  assert.ok(message);
  return onlyItemOf(await readWebhook(webhookOf(provider), message, { secrets: [SECRET], now: NOW })).withdrawal;
};

describe('a message that access was withdrawn', () => {
  test('says whose access, and when', async () => {
    assert.deepEqual(await withdrawalIn('square', square()), {
      accountId: 'M1',
      at: Date.parse('2026-11-15T11:00:00.250Z'),
      only: {},
    });
    assert.equal((await withdrawalIn('slack', slack({ type: 'app_uninstalled' })))?.accountId, 'T1');
    const stripe = { type: 'account.application.deauthorized', account: 'acct_1', created: SECONDS - 5 };
    assert.deepEqual(await withdrawalIn('stripe', stripe), {
      ...{ accountId: 'acct_1', at: (SECONDS - 5) * 1_000 + 999, only: {} },
    });
    const payload = { account_id: 'a1', user_id: 'u1', deauthorization_time: '2026-11-15T11:59:00.000Z' };
    assert.equal((await withdrawalIn('zoom', { event: 'app_deauthorized', payload }))?.accountId, 'u1');
  });

  test('may only be about some connections to an account', async () => {
    const told = await withdrawalIn('slack', slack(revoked));
    assert.deepEqual(told?.only, { user_id: ['U1', 'U2', 'UBOT'] });
    const none = slack({ type: 'tokens_revoked', tokens: { oauth: [], bot: [7, {}, null] } });
    assert.deepEqual((await withdrawalIn('slack', none))?.only, { user_id: ['7'] });
  });

  test('that names whole seconds may be about any moment of that second', async () => {
    assert.equal((await withdrawalIn('slack', slack(revoked)))?.at, SECONDS * 1_000 + 999);
    const created = await withdrawalIn('square', square({ data: {} }));
    assert.equal(created?.at, Date.parse('2026-11-15T11:00:01.999Z'), 'The next place is used.');
  });

  test('is an event like any other if it says something else', async () => {
    assert.equal(await withdrawalIn('slack', slack({ type: 'message', text: 'app_uninstalled' })), null);
    for (const type of ['payment.created', 'constructor', '__proto__', 'toString'])
      assert.equal(await withdrawalIn('square', square({ type })), null, type);
  });

  test('without an account or a time is malformed, and so is one from the future', async () => {
    const kindOf = async (content: object): Promise<string> => {
      const message = await sender.signAsSlack(JSON.stringify(content), { secret: SECRET, now: NOW });
      return (await readWebhook(webhookOf('slack'), message, { secrets: [SECRET], now: NOW })).kind;
    };
    for (const changes of [{ team_id: null }, { team_id: '' }, { team_id: ['T1'] }, { team_id: '\u0000' }])
      assert.equal(await kindOf(slack(revoked, changes)), 'malformed', JSON.stringify(changes));
    for (const event_time of [null, '', 'soon', {}, SECONDS + 301, 1e300, '9'.repeat(400)])
      assert.equal(await kindOf(slack(revoked, { event_time })), 'malformed', String(event_time));
  });

  for (const provider of ['slack', 'square', 'stripe', 'zoom', 'discord'])
    test(`is understood as the simulator of ${provider} sends it`, async () => {
      const record = readEntry(provider);
      const webhookKey = createWebhookKey(record);
      for (const event of Object.keys(record.webhook?.withdrawn ?? {})) {
        const grant = { account: { id: 'a1' }, kept: { user_id: 'u1' } } as unknown as Grant;
        const simulated = { record, webhookKey } as SimulatedProvider;
        const message = buildWithdrawal(simulated, grant, { event, url: URL_OF_OURS, now: NOW });
        const reading = await readWebhook(webhookOf(provider), message, { secrets: [webhookKey.secret], now: NOW });
        const { type, withdrawal } = onlyItemOf(reading);
        assert.deepEqual([type, withdrawal?.accountId, withdrawal?.at], [event, 'a1', SECONDS * 1_000 + 999]);
      }
    });

  test('withdraws nothing if only a token proves its sender', async () => {
    const withdrawn = { push: { account: 'user_id', at: ['at'] } };
    const webhook = { ...webhookOf('gitlab'), withdrawn };
    const body = JSON.stringify({ object_kind: 'push', user_id: 4, at: SECONDS });
    const key = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
    const told = await sender.tellAsGitLab(body, { secret: SECRET, now: NOW });
    const signed = await sender.signAsGitLab(body, { secret: key, now: NOW });
    const withdrawalOf = async (message: typeof told) =>
      onlyItemOf(await readWebhook(webhook, message, { secrets: [SECRET, key], now: NOW })).withdrawal;
    assert.equal(await withdrawalOf(told), null);
    assert.equal((await withdrawalOf(signed))?.accountId, '4');
  });
});
