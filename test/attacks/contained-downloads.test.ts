// Attack: many downloads of a containment's files at once, and one that outlives its caller's rights.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Caller } from '../../src/http/index.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const FILES = ['writeLedger', 'writeExposure'] as const;
const TOO_MANY = { status: 429, code: 'integrations.too_many_containment_files' };

onEachEngine('files of a containment', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const contained = async () => {
    const connected = await stage.connected();
    const { team, admin, headers } = connected;
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    const caller: Caller = { teamId: team.id, userId: admin.user.id, role: 'admin', via: 'session' };
    return { ...connected, id, caller };
  };

  for (const file of FILES) {
    test(`are limited to two per person and five per team until one of them ends: ${file}`, async () => {
      const { id, caller } = await contained();
      const { id: othersId, caller: other } = await contained();
      const operators = await stage.contain(OPERATOR, { provider: 'acme-plain' });
      const write = stage.app.integrations.containments[file];
      const begin = (userId: string) => write({ ...caller, userId }, id);
      const first = await begin('ann');
      const begun = [first, await begin('ann')];
      await assert.rejects(begin('ann'), TOO_MANY);
      for (const userId of ['ben', 'ben', 'cem']) begun.push(await begin(userId));
      await assert.rejects(begin('dee'), TOO_MANY);
      begun.push(await write(other, othersId));
      begun.push(await write(null, operators), await write(null, operators));
      await assert.rejects(write(null, operators), TOO_MANY);
      first.destroy();
      await once(first, 'close');
      begun.push(await begin('dee'));
      for (const each of begun) each.destroy();
    });

    test(`break off once their caller may not read them: ${file}`, async () => {
      const { admin, member, headers, id, caller } = await contained();
      const { user } = member;
      const url = `/api/members/${user.id}`;
      const change = (method: 'PATCH' | 'DELETE', payload?: object) =>
        stage.server.inject({ method, url, headers, ...(payload && { payload }) });
      assert.equal((await change('PATCH', { role: 'admin' })).statusCode, 200);
      const made = await stage.ask('POST', '/api/tokens', headers, { name: 'lost' });
      const write = stage.app.integrations.containments[file];
      const second: Caller = { ...caller, userId: user.id };
      const [kept, demoted] = [await write(caller, id), await write(second, id)];
      const ofToken = await write({ ...caller, userId: admin.user.id, via: 'token', tokenId: made.json().id }, id);
      assert.equal((await change('PATCH', { role: 'member' })).statusCode, 200);
      await stage.contain(headers, { token: made.json().id });
      await assert.rejects(text(demoted), { status: 401 });
      await assert.rejects(text(ofToken), { status: 401 });
      assert.match(await text(kept), /^team,teamKey,provider,/);
      const removed = await write({ ...second, role: 'member' }, id);
      assert.equal((await change('DELETE')).statusCode, 204);
      await assert.rejects(text(removed), { status: 401 });
    });
  }

  test('can be downloaded one after the other, also by the operator', async () => {
    const { headers, id } = await contained();
    const operators = await stage.contain(OPERATOR, { provider: PROVIDER });
    await stage.doDue();
    for (let count = 0; count < 4; count++)
      for (const [path, asking] of [
        [`/api/containments/${id}`, headers],
        [`/api/operator/containments/${operators}`, OPERATOR],
      ] as const) {
        const ledger = await stage.server.inject({ url: path, headers: { ...asking, accept: 'text/csv' } });
        assert.match(ledger.body, new RegExp(`\n.*${PROVIDER},default,`));
        assert.equal((await stage.ask('GET', `${path}/exposure.csv`, asking)).statusCode, 200);
      }
  });
});
