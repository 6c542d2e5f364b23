// Attack: very much that was issued, to others and long ago. What an agent does takes no longer because of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandClient, listTools, openPerson } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { findScans, findSearches, rememberStatements } from '../harness/explain-statements.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('very much that was issued', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  /** The statements of some work that are about what was issued, each with how it finds its rows. */
  const watch = async (work: () => Promise<unknown>) => {
    const { database } = stage.app;
    const original = { ...database };
    const remembered = rememberStatements(original);
    Object.assign(database, remembered.database);
    try {
      await work();
    } finally {
      Object.assign(database, original);
    }
    const about = remembered.statements.filter(({ text }) => /agent_issued|access_tokens/.test(text));
    return Promise.all(
      about.map(async (statement) => ({
        text: statement.text,
        searches: (await findSearches(database, statement)).join('\n'),
        scans: await findScans(database, statement),
      })),
    );
  };

  test('is not read by an agent from its authorization to its end', async () => {
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const seen = await watch(async () => {
      const client = await createHandClient(stage.server);
      const back = await person.decide(client.address(), { place: 'acme-full:default' });
      const redeemed = await client.redeem(back.searchParams.get('code') ?? '');
      const refreshed = await client.refresh(redeemed.json.refresh_token);
      assert.equal(await listTools(stage.server, refreshed.json.access_token), 200);
      await client.revoke(refreshed.json.refresh_token);
      assert.equal(await listTools(stage.server, refreshed.json.access_token), 401);
    });
    assert.ok(seen.some(({ text }) => text.includes('consumed_at is not null')));
    const ofOthers = seen.filter(
      ({ searches, scans }) => /agent_issued/.test(scans.join()) || /agent_issued_by_kind/.test(searches),
    );
    assert.deepEqual(ofOthers, []);
  });
});
