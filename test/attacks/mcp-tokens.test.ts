// Attack: the code and the tokens of an agent, seen by somebody else, used twice, or used elsewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandClient, FORM, letIn, listTools, makeProof } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR = 3_600_000;

type Stage = Awaited<ReturnType<typeof openApprovalsStage>>;

/** What a person gives an agent. */
const createGiving = (stage: Stage) => {
  const isListed = async (headers: Record<string, string>, id: string): Promise<boolean> =>
    (await stage.ask('GET', '/api/tokens', headers)).json.tokens.some((token: { id: string }) => token.id === id);

  const given = async (choice?: Record<string, string>) => {
    const found = await letIn(stage, choice);
    const { status, json } = await found.client.redeem(found.code);
    assert.equal(status, 200, JSON.stringify(json));
    return { ...found, access: json.access_token as string, refresh: json.refresh_token as string, json };
  };

  return { isListed, given };
};

onOneEngine('what an agent was given, in other hands or places', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  const { isListed, given } = createGiving(stage);

  test('a code is worth nothing to another client, without the proof, or for another address', async () => {
    const { client, code, headers, grant } = await letIn(stage);
    const other = await createHandClient(stage.server);
    for (const [changes, error] of [
      [{ code_verifier: makeProof().verifier }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [{ client_id: other.id }, 'invalid_grant'],
      [{ client_id: 'nobody' }, 'invalid_client'],
    ] as const) {
      const refused = await client.redeem(code, changes);
      assert.equal(refused.json.error, error, JSON.stringify(changes));
      assert.equal(refused.json.access_token, undefined);
    }
    const { status } = await client.redeem(code);
    assert.equal(status, 200, 'Nobody could use it up.');
    assert.ok(await isListed(headers, grant.id));
  });

  test('a token for another resource is never issued', async () => {
    const { client, code, person } = await letIn(stage);
    const refused = await client.redeem(code, { resource: 'https://evil.example/mcp' });
    assert.deepEqual([refused.json.error, refused.json.access_token], ['invalid_target', undefined]);
    const several = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: client.id });
    for (const resource of ['https://evil.example', 'http://localhost:3000/mcp']) several.append('resource', resource);
    const { body } = await stage.server.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: FORM,
      payload: String(several),
    });
    assert.doesNotMatch(body, /access_token/);
    const asked = await person.visit(client.address({ resource: 'https://evil.example/mcp' }));
    assert.equal(asked.status, 400);
    assert.equal(asked.headers.get('location'), null);
  });

  test('a code that comes a second time ends what it was given for', async () => {
    const { client, code, access, headers, grant } = await given();
    assert.equal(await listTools(stage.server, access), 200);
    assert.equal((await client.redeem(code)).json.error, 'invalid_grant');
    assert.equal(await listTools(stage.server, access), 401);
    assert.equal(await isListed(headers, grant.id), false);
  });

  test('a refresh token is worth nothing to another client', async () => {
    const { client, refresh } = await given();
    const other = await createHandClient(stage.server);
    assert.equal((await other.refresh(refresh)).json.error, 'invalid_grant');
    await other.revoke(refresh);
    assert.equal((await client.refresh(refresh)).status, 200);
  });

  test('an access token opens nothing but /mcp, and neither does what is around it', async () => {
    const { access, refresh, grant } = await given();
    const tries = [access, refresh, access.slice(4), `pb_${grant.id.replaceAll('-', '')}_${access.slice(4)}`];
    for (const url of [
      '/api/integrations/status',
      '/api/tokens',
      '/api/integrations/acme-full/proxy/things',
      '/api/approvals',
    ])
      for (const token of tries) {
        const { statusCode, headers } = await stage.server.inject({
          url,
          headers: { authorization: `Bearer ${token}` },
        });
        assert.equal(statusCode, 401, `${url} with ${token.slice(0, 4)}…`);
        assert.match(String(headers['www-authenticate']), /invalid_token/);
      }
    for (const token of tries.slice(1)) assert.equal(await listTools(stage.server, token), 401);
  });

  test('an access token ends after an hour, and everything on the day that the person chose', async () => {
    const { client, access, refresh, json } = await given({ days: '1' });
    assert.equal(json.expires_in, 3_600);
    stage.clock.advance(HOUR - 1_000);
    assert.equal(await listTools(stage.server, access), 200);
    stage.clock.advance(2_000);
    assert.equal(await listTools(stage.server, access), 401);
    stage.clock.advance(24 * HOUR);
    assert.equal((await client.refresh(refresh)).json.error, 'invalid_grant');
  });
});

onEachEngine('what an agent was given, used twice, at once, or after its end', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  const { isListed, given } = createGiving(stage);

  test('a code is redeemed once by two processes at the same time', async () => {
    const { client, code } = await letIn(stage);
    const other = await stage.openOther();
    const both = await Promise.all([client.redeem(code), client.redeem(code, {}, other.ask)]);
    assert.ok(both.filter(({ status }) => status === 200).length <= 1, JSON.stringify(both));
  });

  test('a code that nobody redeems gives nobody anything, and its row goes', async () => {
    const { headers, grant } = await letIn(stage);
    stage.clock.advance(20 * 60_000);
    await stage.app.agents.pruneGrants();
    assert.equal(await isListed(headers, grant.id), false);
  });

  test('a refresh token that two windows use at once works for both, and its later use ends everything', async () => {
    const { client, refresh, access, headers, grant } = await given();
    const other = await stage.openOther();
    const both = await Promise.all([client.refresh(refresh), client.refresh(refresh, {}, other.ask)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    const [first] = both;
    assert.equal(await listTools(stage.server, first.json.access_token), 200);
    stage.clock.advance(29_000);
    assert.equal((await client.refresh(refresh)).status, 200, 'A response may have been lost.');
    stage.clock.advance(2_000);
    assert.equal((await client.refresh(refresh)).json.error, 'invalid_grant');
    for (const token of [access, first.json.access_token]) assert.equal(await listTools(stage.server, token), 401);
    assert.equal((await client.refresh(first.json.refresh_token)).json.error, 'invalid_grant');
    assert.equal(await isListed(headers, grant.id), false);
    const { body } = await stage.ask('GET', '/api/audit', headers);
    assert.match(body, /used twice/);
  });

  test('a refresh token is used only so often, and what was used is not kept without end', async () => {
    const { client, refresh, grant } = await given();
    const statuses: number[] = [];
    for (let count = 0; count < 30; count++) statuses.push((await client.refresh(refresh)).status);
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [10, 429]);
    await stage.app.database.run('update agent_issued set consumed_at = $1 where grant_id = $2', [1, grant.id]);
    const rows = `insert into agent_issued (digest, kind, grant_id, payload, consumed_at, created_at, expires_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
      select 'used-' || i, 'RefreshToken', cast($1 as text), '{}', 1, 1, cast($2 as bigint) from n`;
    await stage.app.database.run(rows, [grant.id, 10 ** 15]);
    stage.clock.advance(60_000);
    await stage.app.database.run(
      "update agent_issued set consumed_at = null where grant_id = $1 and kind = 'RefreshToken' and digest not like 'used-%'",
      [grant.id],
    );
    assert.equal((await client.refresh(refresh)).status, 200);
    const [counted] = await stage.app.database.all<{ n: number }>(
      "select count(*) as n from agent_issued where grant_id = $1 and kind = 'RefreshToken' and consumed_at is not null",
      [grant.id],
    );
    assert.ok((counted?.n ?? 0) <= 1_000, `${counted?.n} rows`);
  });

  test('a refresh beside a revocation is refused, and no mistake of ours', async () => {
    for (let round = 0; round < 5; round++) {
      const { client, refresh, headers, grant } = await given();
      const [refreshed] = await Promise.all([
        client.refresh(refresh),
        stage.server.inject({ method: 'DELETE', url: `/api/tokens/${grant.id}`, headers }),
      ]);
      assert.ok(refreshed.status < 500, JSON.stringify(refreshed));
      if (refreshed.status === 200) assert.equal(await listTools(stage.server, refreshed.json.access_token), 401);
    }
    assert.deepEqual(
      stage.lines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  test('everything ends at once with its row, with the person, and when the client gives it back', async () => {
    const revoked = await given();
    await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${revoked.grant.id}`, headers: revoked.headers });
    const returned = await given();
    assert.equal((await returned.client.revoke(returned.refresh)).status, 200);
    assert.equal(await isListed(returned.headers, returned.grant.id), false);
    for (const { client, access, refresh } of [revoked, returned]) {
      assert.equal(await listTools(stage.server, access), 401);
      assert.equal((await client.refresh(refresh)).json.error, 'invalid_grant');
    }
    assert.deepEqual(
      await stage.app.database.all('select kind from agent_issued where grant_id in ($1, $2)', [
        revoked.grant.id,
        returned.grant.id,
      ]),
      [],
    );
  });

  test('nothing in the database is a code, a token, a cookie, or a proof', async () => {
    const { code, access, refresh, client, person } = await given();
    const begun = await person.open((await createHandClient(stage.server)).address());
    const uid = begun.page.split('/').at(-1) ?? '';
    const rows = JSON.stringify(await stage.app.database.all('select * from agent_issued'));
    for (const secret of [code, access.slice(4), refresh.slice(4), client.proof.verifier])
      assert.ok(!rows.includes(secret));
    assert.ok(uid.length > 10);
  });
});
