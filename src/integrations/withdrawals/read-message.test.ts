import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRecord } from '../../../test/harness/connect-flow.ts';
import type { Webhook } from '../catalogue/provider-webhook.ts';
import { readMessage } from './read-message.ts';

const NOW = Date.parse('2026-11-15T12:00:00.500Z');
const SECONDS = Math.floor(NOW / 1_000);

const webhookOf = (id: string): Webhook => readRecord(id).webhook ?? assert.fail();
const read = (id: string, message: unknown) =>
  readMessage(webhookOf(id), Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), NOW);

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

const withdrawalIn = (id: string, message: unknown) => {
  const found = read(id, message);
  assert.equal(found?.kind, 'withdrawal', JSON.stringify(found));
  return found.withdrawal;
};

describe('a message', () => {
  test('says whose access was withdrawn, and when', () => {
    assert.deepEqual(withdrawalIn('square', square()), {
      accountId: 'M1',
      at: Date.parse('2026-11-15T11:00:00.250Z'),
      only: new Map(),
    });
    assert.equal(withdrawalIn('slack', slack({ type: 'app_uninstalled' })).accountId, 'T1');
  });

  test('may only be about some connections to an account', () => {
    const { only } = withdrawalIn('slack', slack(revoked));
    assert.deepEqual(only, new Map([['user_id', new Set(['U1', 'U2', 'UBOT'])]]));
    const none = withdrawalIn('slack', slack({ type: 'tokens_revoked', tokens: { oauth: [], bot: [7, {}, null] } }));
    assert.deepEqual(none.only, new Map([['user_id', new Set(['7'])]]));
  });

  test('that names whole seconds may be about any moment of that second', () => {
    assert.equal(withdrawalIn('slack', slack(revoked)).at, SECONDS * 1_000 + 999);
    const created = withdrawalIn('square', square({ data: {} }));
    assert.equal(created.at, Date.parse('2026-11-15T11:00:01.999Z'), 'The next place is used.');
  });

  test('can be a challenge, which is repeated', () => {
    const challenge = { token: 't', challenge: 'c'.repeat(52), type: 'url_verification' };
    assert.deepEqual(read('slack', challenge), { kind: 'challenge', reply: { challenge: 'c'.repeat(52) } });
    assert.equal(read('slack', { ...challenge, challenge: 'c'.repeat(501) }), null);
    assert.equal(read('slack', { type: 'url_verification' }), null);
    assert.deepEqual(read('square', challenge), { kind: 'other' });
  });

  test('can be about something else', () => {
    assert.deepEqual(read('slack', slack({ type: 'message', text: 'app_uninstalled' })), { kind: 'other' });
    assert.deepEqual(read('square', square({ type: 'payment.created' })), { kind: 'other' });
    for (const type of ['constructor', '__proto__', 'toString'])
      assert.deepEqual(read('square', square({ type })), { kind: 'other' }, type);
  });

  test('without an event, an account or a time is malformed, and so is one from the future', () => {
    for (const text of ['', 'null', '[]', '7', '"slack"', '{', '{}', '\u0000', 'type=app_uninstalled'])
      assert.equal(read('slack', text), null, text);
    for (const changes of [{ team_id: null }, { team_id: '' }, { team_id: ['T1'] }, { team_id: '\u0000' }])
      assert.equal(read('slack', slack(revoked, changes)), null, JSON.stringify(changes));
    for (const event_time of [null, '', 'soon', {}, SECONDS + 301, 1e300, '9'.repeat(400)])
      assert.equal(read('slack', slack(revoked, { event_time })), null, String(event_time));
  });
});
