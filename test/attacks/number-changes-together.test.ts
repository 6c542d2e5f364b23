import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { AUTH_TOKEN, newAccountSid } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const GREETING = { greeting: 'Welcome back.' };

onEachEngine('phone numbers that two people change at the same moment', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const team = prepare(() => stage.createTeam('busy'));
  let made = 0;

  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const { headers } = team.admin;
    const answer = await stage.server.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() };
  };

  const addAccount = async (): Promise<string> => {
    const payload = { provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] };
    return (await call('POST', '/api/telephony/accounts', payload)).body.id;
  };

  const newNumber = (account: string) => ({ account, number: `+1555123${String(++made).padStart(4, '0')}` });

  const addNumber = async (account: string): Promise<string> =>
    (await call('POST', '/api/telephony/numbers', newNumber(account))).body.id;

  /** Somebody else's request comes after the next one has read what it needs, and before it writes. */
  const meanwhile = <Result>(other: () => Promise<Result>): Promise<Result> => {
    const { database } = stage.app;
    const { transaction } = database;
    return new Promise((resolve, reject) => {
      const interrupt = async (work: Parameters<typeof transaction>[0]) => {
        Object.assign(database, { transaction });
        await other().then(resolve, reject);
        return transaction(work);
      };
      Object.assign(database, { transaction: interrupt });
    });
  };

  test('keep both changes', async () => {
    const url = `/api/telephony/numbers/${await addNumber(await addAccount())}`;
    const label = meanwhile(() => call('PATCH', url, { label: 'Front desk' }));
    const answer = await call('PATCH', url, { answer: GREETING });
    assert.deepEqual([(await label).status, answer.status], [200, 200]);
    const { body } = await call('GET', url);
    assert.deepEqual([body.label, body.answer], ['Front desk', GREETING]);
    assert.deepEqual([answer.body.label, answer.body.answer], ['Front desk', GREETING]);
  });

  test('stay removed if one of the two removes the number', async () => {
    const url = `/api/telephony/numbers/${await addNumber(await addAccount())}`;
    const removed = meanwhile(() => call('DELETE', url));
    const changed = await call('PATCH', url, { label: 'Front desk' });
    assert.deepEqual([(await removed).status, changed.body.code], [204, 'telephony.number_unknown']);
  });

  test('are not left on an account that is removed while they are added to it or moved there', async () => {
    const [kept, first, second] = [await addAccount(), await addAccount(), await addAccount()];
    const id = await addNumber(kept);
    const withoutFirst = meanwhile(() => call('DELETE', `/api/telephony/accounts/${first}`));
    const added = await call('POST', '/api/telephony/numbers', newNumber(first));
    assert.deepEqual([(await withoutFirst).status, added.body.code], [204, 'telephony.account_unknown']);
    const withoutSecond = meanwhile(() => call('DELETE', `/api/telephony/accounts/${second}`));
    const moved = await call('PATCH', `/api/telephony/numbers/${id}`, { account: second });
    assert.deepEqual([(await withoutSecond).status, moved.body.code], [204, 'telephony.account_unknown']);
    const { numbers } = (await call('GET', '/api/telephony/numbers?limit=100')).body;
    assert.ok(!JSON.stringify(numbers).includes(first), 'A number is left on a removed account.');
    assert.equal((await call('GET', `/api/telephony/numbers/${id}`)).status, 200);
  });

  test('keep both changes to their account', async () => {
    const url = `/api/telephony/accounts/${await addAccount()}`;
    const added = meanwhile(() => call('PATCH', url, { addSecret: `${AUTH_TOKEN}-of-one` }));
    const answer = await call('PATCH', url, { addSecret: `${AUTH_TOKEN}-of-the-other` });
    assert.deepEqual([(await added).status, answer.status], [200, 200]);
    assert.equal((await call('GET', url)).body.secrets.length, 3);
  });

  test('all come through if many change one number', async () => {
    const url = `/api/telephony/numbers/${await addNumber(await addAccount())}`;
    const changes = Array.from({ length: 20 }, (_, index) =>
      call('PATCH', url, index % 2 === 0 ? { label: 'Front desk' } : { answer: GREETING }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200]));
    const { body } = await call('GET', url);
    assert.deepEqual([body.label, body.answer], ['Front desk', GREETING]);
  });
});
