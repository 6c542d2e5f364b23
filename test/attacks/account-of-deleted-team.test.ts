import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertAccount, takeChange } from '../../src/telephony/accounts/account-store.ts';
import { sealSecrets } from '../../src/telephony/accounts/open-account.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import {
  AUTH_TOKEN,
  createPhoneLine,
  newAccountSid,
  newCallSid,
  openTelephonyStage,
  PATIENT,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** A process that has just seen an admin lets them in for up to a second after another one has deleted their team. */
onEachEngine('a telephony account that is added while its team is deleted', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, PATIENT));
  const other = useStage(() => stage.openOther());
  const erasure = createTestErasure(stage);

  const ring = async (id: string, accountId: string): Promise<number[]> => {
    const statuses: number[] = [];
    for (const { server } of [stage, other])
      statuses.push((await createPhoneLine(server, { id, accountId }).rings(newCallSid())).statusCode);
    for (const { app } of [stage, other]) await app.telephony.settle();
    return statuses;
  };

  const countRows = async (table: string, teamId: string): Promise<number> =>
    (await stage.app.database.all(`select id from ${table} where team_id = $1`, [teamId])).length;

  test('is refused, as are numbers, changes and invitations', async () => {
    const { team, admin, account, number } = await stage.newTeam();
    const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const { headers } = admin;
      return (await other.server.inject({ method, url, headers, ...(payload && { payload }) })).statusCode;
    };
    const listRows = async () => [
      await countRows('telephony_accounts', team.id),
      await countRows('telephony_numbers', team.id),
      await countRows('users', team.id),
    ];
    assert.equal(await ask('GET', '/api/telephony/accounts'), 200);
    const before = await listRows();
    await erasure.begin(team.id);
    const added = { provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] };
    assert.deepEqual(
      [
        await ask('POST', '/api/telephony/accounts', added),
        await ask('POST', '/api/telephony/numbers', { number: '+15551230044', account: account.id }),
        await ask('PATCH', `/api/telephony/numbers/${number.id}`, { label: 'Still here' }),
        await ask('DELETE', `/api/telephony/numbers/${number.id}`),
        await ask('POST', '/api/members', { email: 'late@example.com' }),
      ],
      [401, 401, 401, 401, 401],
    );
    assert.deepEqual(await listRows(), before);
    await erasure.expectGone(team.id);
  });

  test('answers no call once the team is gone, in any process, even if it got past that', async () => {
    const { team } = await stage.newTeam();
    const { app, clock } = stage;
    await erasure.begin(team.id);
    const [id, accountId] = [app.newId(), newAccountSid()];
    const secrets = [{ id: app.newId(), value: AUTH_TOKEN, addedAt: clock.now() }];
    const row = {
      ...{ id, teamId: team.id, provider: 'twilio', externalId: accountId, mode: 'enforce' as const, api: null },
      secrets: await sealSecrets(app.vault, { id, teamId: team.id }, secrets),
      ...{ observeUntil: null, removesArchived: 0, simulated: 0, createdAt: clock.now(), removedAt: null },
    };
    await app.database.transaction(async (tx) => insertAccount(tx, row, await takeChange(tx)));
    clock.advance(1_000);
    assert.deepEqual(await ring(id, accountId), [200, 200]);
    await erasure.expectGone(team.id);
    clock.advance(1_000);
    assert.deepEqual(await ring(id, accountId), [403, 403]);
    assert.equal(await countRows('deliveries', team.id), 0);
  });
});
