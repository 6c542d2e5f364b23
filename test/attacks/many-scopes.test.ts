import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Person } from '../harness/app.ts';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

/** What the provider says it granted: as much as fits in one response. */
const MANY = Array.from({ length: 480 }, (_, index) => `s${index}`.padEnd(128, 'x'));
const MOST = { scopes: 100, characters: 4_000 };

type Shown = { provider: string; connection: string; scopes: string[]; missingScopes: string[] };

onOneEngine('a provider that grants very many scopes', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { gitlab: {} } }));
  const team = prepare(() => flow.stage.createTeam('greedy'));

  const connect = async (person: Person, grantedScopes: string[]): Promise<void> => {
    const { authorizationUrl, cookie } = await flow.begin(person, 'gitlab', { scopes: ['api', 'read_user'] });
    expectConnected(await flow.arrive(flow.consent(authorizationUrl, { grantedScopes }), { cookie }), 'gitlab');
    flow.clock.advance(1_000);
  };

  const show = async ({ headers }: Person): Promise<Shown | undefined> => {
    const { integrations } = (await flow.get('/api/integrations/status', headers)).json<{ integrations: Shown[] }>();
    return integrations.find(({ provider }) => provider === 'gitlab');
  };

  test('fills neither the status nor the audit log with them', async () => {
    await connect(team.member, [...MANY, 'read_user', 'api']);
    const { scopes = [], missingScopes } = (await show(team.member)) ?? {};
    assert.ok(scopes.length <= MOST.scopes && scopes.join(' ').length <= MOST.characters, `${scopes.length} scopes`);
    assert.deepEqual(scopes.slice(0, 3), ['read_user', 'api', MANY[0]], 'What was requested is kept first.');
    assert.deepEqual(missingScopes, []);
    const rows = await flow.stage.app.database.all<{ length: number }>(
      'select length(detail) as length from audit_events where team_id = $1 and detail is not null',
      [team.team.id],
    );
    assert.ok(rows.length > 0 && rows.every(({ length }) => length < 1_000), JSON.stringify(rows));
  });

  test('fills no list with those from before there was a limit', async () => {
    const { team: own, member } = await flow.stage.createTeam('old');
    await connect(member, ['api']);
    const { database } = flow.stage.app;
    await database.run('update connections set scopes_granted = $2 where team_id = $1', [own.id, JSON.stringify(MANY)]);
    flow.clock.advance(1_000);
    const { scopes, missingScopes } = (await show(member)) ?? {};
    assert.deepEqual(scopes?.toSorted(), ['api', 'read_user']);
    assert.deepEqual(missingScopes, []);
  });

  test('has the status put together once for all who ask at the same time, and without tokens', async () => {
    const { database } = flow.stage.app;
    await putCustomer(flow.stage, 'shared');
    const session = await createConnectSession(flow.stage, 'shared', { providers: ['gitlab'] });
    const all = mock.method(database, 'all');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        flow.get('/api/integrations/status', index % 2 === 0 ? asCustomer('shared').headers : session.headers),
      ),
    );
    all.mock.restore();
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    const lists = all.mock.calls.map(({ arguments: [text] }) => text).filter((text) => /from connections/.test(text));
    assert.equal(lists.length, 1);
    assert.doesNotMatch(lists[0] ?? '', /access_token|refresh_token/);
  });

  test('is looked at again by whoever asks after a change', async () => {
    const { member } = await flow.stage.createTeam('changing');
    await connect(member, ['api']);
    const early = flow.get('/api/integrations/status', member.headers);
    await flow.post('gitlab/disconnect', member.headers);
    const { integrations } = (await flow.get('/api/integrations/status', member.headers)).json();
    assert.equal(integrations[0].status, 'disconnected');
    assert.equal((await early).statusCode, 200);
  });
});

onOneEngine('an admin who sets a very long OAuth app', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { gitlab: {} } }));

  test('leaves a short entry in the audit log, which says what it leaves out', async () => {
    const { admin } = await flow.stage.createTeam('wordy');
    const scopes = Array.from({ length: 100 }, (_, index) => `scope-${index}`.padEnd(39, 'x'));
    const answer = await flow.stage.server.inject({
      method: 'PUT',
      url: '/api/integrations/gitlab/credentials',
      headers: admin.headers,
      payload: { clientId: 'c'.repeat(2_000), clientSecret: 'secret', scopes },
    });
    assert.equal(answer.statusCode, 200, answer.body);
    const { events } = (await flow.get('/api/audit', admin.headers)).json();
    const { detail } = events.find(({ action }: { action: string }) => action === 'integration.credentials.put');
    assert.ok(JSON.stringify(detail).length <= 4_000);
    assert.equal(detail.clientId, `${'c'.repeat(500)}…`);
    assert.deepEqual(detail.scopes, [...scopes.slice(0, 20), '… and 80 more']);
  });
});
