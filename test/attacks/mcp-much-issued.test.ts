// Attack: very much that was issued, to others and long ago. What an agent does takes no longer because of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRANGERS } from '../../src/agents/clients/clients.ts';
import { deleteOldestIssued } from '../../src/oauth/index.ts';
import { deleteUnprovedTokens } from '../../src/teams/records/access-token-store.ts';
import { deleteCredentialsOfTeam } from '../../src/teams/records/credential-store.ts';
import { endHandedBy } from '../../src/teams/records/handed-store.ts';
import { createHandClient, letIn, listTools, openPerson, registerClient } from '../harness/agent-grant.ts';
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

  /** Rows of a kind that expired before the test, or never will. */
  const issue = (kind: string, count: number, { expiresAt = 10 ** 15, createdAt = 1 } = {}) =>
    stage.app.database.run(
      `insert into agent_issued (digest, kind, payload, created_at, expires_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
        select $1 || i, cast($1 as text), '{}', cast($2 as bigint) + i, cast($3 as bigint) from n`,
      [kind, createdAt, expiresAt],
    );

  const listKept = async (kind: string): Promise<string[]> =>
    (
      await stage.app.database.all<{ digest: string }>(
        'select digest from agent_issued where kind = $1 order by created_at',
        [kind],
      )
    ).map(({ digest }) => digest);

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
      ({ searches, scans }) =>
        /agent_issued/.test(scans.join()) || /agent_issued_(?:by_kind|by_expiry|unredeemed)/.test(searches),
    );
    assert.deepEqual(ofOthers, []);
  });

  test('is left to a job when it has expired, and no request waits for it', async () => {
    await issue('Old', 300, { expiresAt: 2 });
    const { client, code } = await letIn(stage);
    assert.equal((await client.redeem(code)).status, 200);
    assert.equal((await listKept('Old')).length, 300);
    const seen = await watch(() => stage.app.agents.pruneGrants());
    assert.deepEqual(await listKept('Old'), []);
    const deletions = seen.filter(({ text }) => text.includes('expires_at <= $1'));
    assert.ok(deletions.length >= 6, 'It is deleted in pieces, so that others can write in between.');
    for (const { searches } of deletions) assert.match(searches, /agent_issued_by_expiry/);
  });

  test('is looked at once by the job that ends what nobody redeemed', async () => {
    const used = await letIn(stage);
    const { json } = await used.client.redeem(used.code);
    const unused = await letIn(stage);
    stage.clock.advance(20 * 60_000);
    const countUnseen = async () =>
      (
        await stage.app.database.get<{ n: number }>(
          "select count(*) as n from agent_issued where kind = 'Grant' and consumed_at is null",
        )
      )?.n;
    await stage.app.agents.pruneGrants();
    assert.equal(await countUnseen(), 0);
    const { tokens } = (await stage.ask('GET', '/api/tokens', unused.headers)).json;
    assert.ok(!tokens.some(({ id }: { id: string }) => id === unused.grant.id));
    const refreshed = await used.client.refresh(json.refresh_token);
    assert.equal(refreshed.status, 200, 'That it was looked at changes nothing for the client.');

    await issue('Grant', 3_000);
    await stage.app.database.run("update agent_issued set consumed_at = 1 where digest like 'Grant%'");
    if (engine === 'postgresql') await stage.app.database.run('analyze agent_issued');

    const seen = await watch(() => stage.app.agents.pruneGrants());
    const aboutGrants = seen.filter(({ text }) => text.includes("kind = 'Grant'"));
    assert.ok(aboutGrants.length > 0);
    for (const { searches } of aboutGrants) {
      assert.match(searches, /agent_issued_unredeemed/);
      assert.match(searches, /agent_issued_by_grant/);
    }
    assert.equal(await listTools(stage.server, refreshed.json.access_token), 200);
  });

  test('is ended at once when a client gives back its access token, so that nothing is left to look for', async () => {
    const { client, code, headers, grant } = await letIn(stage);
    const { json } = await client.redeem(code);
    stage.clock.advance(20 * 60_000);
    await stage.app.agents.pruneGrants();
    assert.equal((await client.revoke(json.access_token)).status, 200);
    const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
    assert.ok(!tokens.some(({ id }: { id: string }) => id === grant.id));
    assert.equal((await client.refresh(json.refresh_token)).json.error, 'invalid_grant');
  });

  test('goes from the oldest on if there is too much of it, and exactly as much as is too much', async () => {
    await issue('Many', 260);
    const seen = await watch(() =>
      deleteOldestIssued(stage.app.database, 'agent_issued', 'Many', 100, async () => undefined),
    );
    const kept = await listKept('Many');
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, 'Many161', 'Many260']);
    for (const { searches, scans } of seen) {
      assert.match(searches, /agent_issued_by_kind/);
      assert.deepEqual(scans, []);
    }
    assert.ok(STRANGERS.every(({ most }) => most > 0));
    assert.equal((await registerClient(stage.server)).status, 201);
  });

  test('ends with the person, or with what they were handed, one grant per statement', async () => {
    const { app } = stage;
    const { team, headers, member, admin } = await letIn(stage);
    const grant = async (handedThrough: string | null) => {
      const tokens = `insert into access_tokens (id, team_id, user_id, name, digest, created_at, expires_at, client, handed_through)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20)
        select cast($1 as text) || i, cast($2 as text), cast($1 as text), 'agent', 'none', 1, ${10 ** 15},
          case when i > 10 then 'agent.example' end, cast($3 as text) from n`;
      await app.database.run(tokens, [member.user.id, team.id, handedThrough]);
    };
    const countLeft = async () =>
      (
        await app.database.get<{ n: number }>('select count(*) as n from access_tokens where user_id = $1', [
          member.user.id,
        ])
      )?.n;
    const ends: (() => Promise<unknown>)[] = [
      () => app.database.transaction((tx) => endHandedBy(tx, { teamId: team.id, userId: admin.user.id })),
      () => app.database.transaction((tx) => deleteUnprovedTokens(tx, { ...member.user, userId: member.user.id })),
      () => stage.server.inject({ method: 'DELETE', url: `/api/members/${member.user.id}`, headers }),
      () => deleteCredentialsOfTeam(app.database, team.id, async () => undefined),
    ];
    for (const [index, end] of ends.entries()) {
      await app.database.run('delete from access_tokens where user_id = $1', [member.user.id]);
      await grant(index === 0 ? ` ${admin.user.id} ` : null);
      const seen = await watch(end);
      assert.equal(await countLeft(), 0);
      const single = seen.filter(({ text }) => text === 'delete from access_tokens where team_id = $1 and id = $2');
      assert.ok(single.length >= 10, `${single.length} statements`);
    }
  });
});
