import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTH_TOKEN, newAccountSid, openTelephonyStage } from '../../../test/harness/telephony-stage.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { listAccounts } from './account-store.ts';
import { openAccount } from './open-account.ts';
import { ensureQuickAccount } from './quick-account.ts';

const stage = useStage(() => openTelephonyStage('sqlite'));

const secretsOf = async (teamId: string): Promise<string[]> => {
  const [row] = await listAccounts(stage.app.database, teamId, null, 1);
  assert.ok(row);
  return (await openAccount(stage.app.vault, row)).secrets.map(({ value }) => value);
};

test('the account from the settings follows its secret, and keeps the last ten', async () => {
  const { team } = await stage.createTeam('quick');
  const context = { ...stage.app.telephony.context, production: false };
  const accountId = newAccountSid();
  const set = (secret: string) =>
    ensureQuickAccount(context, team.id, { provider: 'twilio', accountId, secret, api: {} });
  for (let number = 1; number <= 12; number++) await set(`secret-number-${number}`);
  await set('secret-number-12');
  const kept = Array.from({ length: 10 }, (_, index) => `secret-number-${12 - index}`);
  assert.deepEqual(await secretsOf(team.id), kept);
});

test('an eleventh secret is refused, however it arrives, and the ten stay', async () => {
  const { team, admin, account } = await stage.newTeam();
  const url = `/api/telephony/accounts/${account.id}`;
  const add = (addSecret: string) =>
    stage.server.inject({ method: 'PATCH', url, headers: admin.headers, payload: { addSecret } });
  for (let number = 1; number <= 9; number++) assert.equal((await add(`secret-number-${number}`)).statusCode, 200);
  const refused = await add('secret-number-10');
  assert.equal(refused.statusCode, 400, refused.body);
  assert.match(refused.json().errors[0].message, /at most 10; remove one/);
  assert.equal((await secretsOf(team.id)).length, 10);
  assert.ok((await secretsOf(team.id)).includes(AUTH_TOKEN));
});
