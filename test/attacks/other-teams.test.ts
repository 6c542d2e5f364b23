import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { createTestApp, type Person, SECRETS, type TestApp } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { readRecord } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { AGREEABLE, keyEntry, parkRequest } from '../harness/parked-approval.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { startProviderSimulator } from '../harness/provider-simulator.ts';
import { cookieFrom, openSession } from '../harness/sessions.ts';
import {
  AUTH_TOKEN,
  CALLER,
  createPhoneLine,
  newAccountSid,
  newCallSid,
  newRecordingSid,
  OUR_NUMBER,
} from '../harness/telephony-stage.ts';
import { addUnloggedCall, LOGGING_PROVIDER } from '../harness/unlogged-call.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Team = Awaited<ReturnType<TestApp['createTeam']>>;

/** Something that belongs to a team and that an operation addresses by its path. */
type Thing = {
  path: Record<string, string>;
  /** The same path with an id that nobody has. */
  unknown: Record<string, string>;
  body?: object;
  /** Who may have it, if not the team's admin. */
  headers?: Record<string, string>;
  /** Its rows in the database. */
  row(): Promise<unknown>;
};

const NOBODYS = '01900000-0000-7000-8000-000000000000';

const makeMember = async ({ app }: TestApp, { member }: Team): Promise<Thing> => ({
  path: { id: member.user.id },
  unknown: { id: NOBODYS },
  row: () => app.database.get('select * from users where id = $1', [member.user.id]),
});

const makeWebhookSecret = async ({ app, server }: TestApp, { admin }: Team): Promise<Thing> => {
  const made = await server.inject({
    method: 'PUT',
    url: '/api/integrations/github/webhook',
    headers: admin.headers,
    payload: { secret: 'wanted by others' },
  });
  const { id } = made.json<{ secrets: [{ id: string }] }>().secrets[0];
  return {
    path: { provider: 'github', id },
    unknown: { provider: 'github', id: NOBODYS },
    row: () => app.database.get('select * from webhook_secrets where id = $1', [id]),
  };
};

const makeUnloggedCall = async ({ app }: TestApp, { team, admin }: Team): Promise<Thing> => {
  const id = await addUnloggedCall(app, { teamId: team.id, connectedBy: admin.user.id });
  return {
    path: { provider: LOGGING_PROVIDER, id },
    unknown: { provider: LOGGING_PROVIDER, id: NOBODYS },
    row: () => app.database.get('select * from call_logs where call_id = $1', [id]),
  };
};

const makeToken = async ({ app, server }: TestApp, { member }: Team): Promise<Thing> => {
  const made = await server.inject({
    method: 'POST',
    url: '/api/tokens',
    headers: member.headers,
    payload: { name: 'wanted by others' },
  });
  const { id } = made.json<{ id: string }>();
  return {
    path: { id },
    unknown: { id: NOBODYS },
    row: () => app.database.get('select * from access_tokens where id = $1', [id]),
  };
};

const makeSession = async (stage: TestApp, { admin }: Team): Promise<Thing & { id: string }> => {
  await openSession(stage, admin.user);
  const readRow = () =>
    stage.app.database.get<{ id: string; used_at: number | null }>('select * from sessions where user_id = $1', [
      admin.user.id,
    ]);
  await waitUntil(
    'it is recorded that the session was used',
    async () => ((await readRow())?.used_at ?? null) !== null,
  );
  const { id } = (await readRow()) ?? assert.fail('no session');
  return { id, path: { id }, unknown: { id: NOBODYS }, row: readRow };
};

const post = async ({ server }: TestApp, { admin }: Team, url: string, payload: object): Promise<{ id: string }> => {
  const made = await server.inject({ method: 'POST', url, headers: admin.headers, payload });
  assert.equal(made.statusCode, 201, made.body);
  return made.json<{ id: string }>();
};

/** A telephony account with a number, and an unanswered call with a recording. */
const makeTelephony = async (stage: TestApp, team: Team) => {
  const { app, server } = stage;
  const accountId = newAccountSid();
  const callSid = newCallSid();
  const account = await post(stage, team, '/api/telephony/accounts', {
    provider: 'twilio',
    accountId,
    secrets: [AUTH_TOKEN],
  });
  const number = await post(stage, team, '/api/telephony/numbers', { number: OUR_NUMBER, account: account.id });
  const line = createPhoneLine(server, { id: account.id, accountId });
  assert.equal((await line.rings(callSid)).statusCode, 200);
  assert.equal((await line.status(callSid, 'no-answer')).statusCode, 204);
  const recordingSid = newRecordingSid();
  assert.equal((await line.recorded(callSid, recordingSid)).statusCode, 204);
  await app.telephony.settle();
  const recording = await app.database.get<{ id: string }>('select id from recordings where external_id = $1', [
    recordingSid,
  ]);
  assert.ok(recording);
  await archiveRecording(app, { id: recording.id, teamId: team.team.id });
  const call = await app.database.get<{ id: string }>('select id from calls where external_id = $1', [callSid]);
  assert.ok(call);
  return { account, number, call, recording, accountId, callSid };
};

const makeOf =
  (kind: 'account' | 'number' | 'call' | 'recording', table: string, body?: object) =>
  async (stage: TestApp, team: Team): Promise<Thing> => {
    const { [kind]: made } = await makeTelephony(stage, team);
    return {
      path: { id: made.id },
      unknown: { id: NOBODYS },
      row: () => stage.app.database.get(`select * from ${table} where id = $1`, [made.id]),
      ...(body ? { body } : {}),
    };
  };

/** The report of the last week that is over. */
const makeReport = async ({ app, server }: TestApp, { team }: Team): Promise<Thing & { id: string }> => {
  const run = await server.inject({
    url: `/api/cron/weekly-report?team=${team.id}&week=${lastFinishedWeek(app.clock.now(), 'UTC')}`,
    headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
  });
  const [{ week, reportId }] = run.json<{ reports: [{ week: string; reportId: string }] }>().reports;
  return {
    id: reportId,
    path: { week },
    unknown: { week: '2020-W01' },
    row: () => app.database.get('select * from reports where id = $1', [reportId]),
  };
};

const makeEndpoint =
  (body?: object) =>
  async (stage: TestApp, team: Team): Promise<Thing & { id: string }> => {
    const { id } = await post(stage, team, '/api/events/endpoints', { url: 'http://127.0.0.1:9/of-the-owner' });
    return {
      ...{ id, path: { id }, unknown: { id: NOBODYS }, ...(body && { body }) },
      row: () => stage.app.database.get('select * from event_endpoints where id = $1', [id]),
    };
  };

const makeAlert = async ({ app }: TestApp, { team }: Team): Promise<Thing> => {
  const event = { teamId: team.id, type: 'connection.needs_reconnect', subject: app.newId(), data: {} } as const;
  await app.database.transaction((tx) => app.events.record(tx, event));
  await app.notices.alerts.look();
  const readRow = () =>
    app.database.get<{ id: string }>('select * from event_alerts where team_id = $1 and subject = $2', [
      team.id,
      event.subject,
    ]);
  const { id } = (await readRow()) ?? assert.fail('no alert');
  return { path: { id }, unknown: { id: NOBODYS }, row: readRow };
};

const makeEvent = async ({ app }: TestApp, { team }: Team): Promise<Thing> => {
  const event = providerEvent(team.id, { payload: JSON.stringify('a'.repeat(20_000)) });
  const [id = ''] = await app.database.transaction((tx) => app.events.record(tx, event));
  await app.events.followLog({ teamId: team.id }, { limit: 1 });
  return {
    ...{ path: { id: `evt_${id}` }, unknown: { id: `evt_${NOBODYS}` } },
    row: () => app.database.get('select * from events where id = $1', [id]),
  };
};

const makeApproval = async ({ app, server }: TestApp, { admin }: Team) => {
  const { id, token } = await parkRequest(server, admin.headers);
  const row = () => app.database.get('select * from approvals where id = $1', [id]);
  return { id, token, path: { id }, unknown: { id: NOBODYS }, row };
};

const makeResponse = async (stage: TestApp, team: Team): Promise<Thing> => {
  const { id, token, ...thing } = await makeApproval(stage, team);
  const url = `/api/approvals/${id}/approve`;
  const approved = await stage.server.inject({ method: 'POST', url, headers: team.admin.headers });
  assert.equal(approved.json().state, 'sent');
  return { ...thing, headers: token };
};

const makeContainment = async (stage: TestApp, team: Team): Promise<Thing> => {
  const asked = { reason: 'of the owner', connectedBefore: '2020-01-01T00:00:00Z' };
  const { id } = await post(stage, team, '/api/containments', asked);
  return {
    ...{ path: { id }, unknown: { id: NOBODYS } },
    row: () => stage.app.database.get('select reason, lifted_at from containments where id = $1', [id]),
  };
};

/** For every operation that names something by its id: how a team gets one. */
const MAKERS: Record<string, (stage: TestApp, team: Team) => Promise<Thing>> = {
  'PATCH /api/members/{id}': async (stage, team) => ({ ...(await makeMember(stage, team)), body: { name: 'Mallory' } }),
  'DELETE /api/members/{id}': makeMember,
  'DELETE /api/tokens/{id}': makeToken,
  'DELETE /api/sessions/{id}': makeSession,
  'GET /api/reports/{week}': makeReport,
  'DELETE /api/integrations/{provider}/webhook/secrets/{id}': makeWebhookSecret,
  'POST /api/integrations/{provider}/people/calls/{id}/retry': makeUnloggedCall,
  'GET /api/events/{id}': makeEvent,
  'GET /api/events/{id}/payload': makeEvent,
  'POST /api/events/{id}/resend': makeEvent,
  'POST /api/events/alerts/{id}/dismiss': makeAlert,
  'GET /api/events/endpoints/{id}': makeEndpoint(),
  'PATCH /api/events/endpoints/{id}': makeEndpoint({ active: false }),
  'DELETE /api/events/endpoints/{id}': makeEndpoint(),
  'POST /api/events/endpoints/{id}/test': makeEndpoint(),
  'POST /api/events/endpoints/{id}/rotate': makeEndpoint(),
  'POST /api/events/endpoints/{id}/replay': makeEndpoint({ since: '2026-11-01T00:00:00Z' }),
  'GET /api/containments/{id}': makeContainment,
  'GET /api/containments/{id}/exposure.csv': makeContainment,
  'DELETE /api/containments/{id}': makeContainment,
  'GET /api/approvals/{id}': makeApproval,
  'POST /api/approvals/{id}/approve': makeApproval,
  'POST /api/approvals/{id}/refuse': makeApproval,
  'GET /api/approvals/{id}/response': makeResponse,
  'GET /api/telephony/accounts/{id}': makeOf('account', 'telephony_accounts'),
  'PATCH /api/telephony/accounts/{id}': makeOf('account', 'telephony_accounts', {
    mode: 'observe',
    secrets: ['secret-of-others'],
  }),
  'DELETE /api/telephony/accounts/{id}': makeOf('account', 'telephony_accounts'),
  'POST /api/telephony/accounts/{id}/release': makeOf('account', 'telephony_accounts'),
  'GET /api/telephony/numbers/{id}': makeOf('number', 'telephony_numbers'),
  'PATCH /api/telephony/numbers/{id}': makeOf('number', 'telephony_numbers', { label: 'of others' }),
  'DELETE /api/telephony/numbers/{id}': makeOf('number', 'telephony_numbers'),
  'GET /api/calls/{id}': makeOf('call', 'calls'),
  'POST /api/calls/{id}/returned': makeOf('call', 'calls'),
  'DELETE /api/calls/{id}/returned': makeOf('call', 'calls'),
  'GET /api/recordings/{id}': makeOf('recording', 'recordings'),
  'GET /api/recordings/{id}/audio': makeOf('recording', 'recordings'),
};

/** Names what a team has at the provider, besides its own client. */
type Owned = { account: string; parked: { attempt: string } };

type AtProvider = {
  body?: (owned: Owned) => object;
  /** The response for a team that has nothing there. */
  status: number;
  says: RegExp;
  /** What differs from one such response to the next. */
  random?: RegExp;
  /** A table that changes anyway. */
  changes?: string;
};

const NOTHING: Owned = { account: '', parked: { attempt: 'A'.repeat(43) } };

/**
 * The operations that name a provider. A provider is known to everyone. What belongs to another team is its connection,
 * client and parked attempts there, and each operation responds as if there were none.
 */
const AT_PROVIDER: Record<string, AtProvider> = {
  'POST /api/integrations/{provider}/connect': {
    status: 200,
    says: /[?&]client_id=client-of-operator&/,
    random: /(?<=\b(?:state|code_challenge|ticket|patchbay_connect)=)[\w.-]+|(?<="expiresAt":")[^"]+/g,
  },
  'POST /api/integrations/{provider}/complete': {
    body: ({ parked }) => parked,
    status: 404,
    says: /"integrations\.attempt_unknown"/,
    // Anyone other than the user who started an attempt ends it.
    changes: 'connect_attempts',
  },
  'POST /api/integrations/{provider}/disconnect': { status: 200, says: /"revocation":"not_connected"/ },
  'POST /api/integrations/{provider}/token': { status: 409, says: /"integrations\.not_connected"/ },
  'GET /api/integrations/{provider}/sites': { status: 409, says: /"integrations\.no_sites"/ },
  'PUT /api/integrations/{provider}/site': {
    body: () => ({ site: 'site-of-others' }),
    status: 409,
    says: /"integrations\.no_sites"/,
  },
  'PUT /api/integrations/{provider}/credentials': {
    body: () => ({ clientId: 'client-of-others', clientSecret: 'secret-of-others' }),
    status: 200,
    says: /"client-of-others"/,
  },
  'DELETE /api/integrations/{provider}/credentials': { status: 204, says: /^$/ },
  'GET /api/integrations/{provider}/people/calls': { status: 409, says: /"integrations\.not_connected"/ },
  'GET /api/integrations/{provider}/people': { status: 409, says: /"integrations\.not_connected"/ },
  'PATCH /api/integrations/{provider}/people': {
    body: () => ({ lookup: true }),
    status: 409,
    says: /"integrations\.lookup_unsupported"/,
  },
  'GET /api/integrations/{provider}/webhook': { status: 404, says: /"integrations\.webhook_not_set_up"/ },
  'POST /api/integrations/{provider}/webhook/rotate': { status: 404, says: /"integrations\.webhook_not_set_up"/ },
  'DELETE /api/integrations/{provider}/webhook': { status: 404, says: /"integrations\.webhook_not_set_up"/ },
  'PUT /api/integrations/{provider}/webhook': {
    body: () => ({}),
    status: 200,
    says: /"secrets":\[\]/,
    random: /(?<=webhooks\/integrations\/zoom\/)[\w-]+/g,
  },
  'PUT /api/integrations/{provider}/key': {
    body: () => ({ fields: { api_key: 'key-of-others' } }),
    status: 409,
    says: /"integrations\.not_key_based"/,
  },
  ...Object.fromEntries(
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
      `${method} /api/integrations/{provider}/proxy/{path}`,
      { status: 409, says: /"integrations\.not_connected"/ },
    ]),
  ),
};

const zoom = readRecord('zoom');
const PATH = { provider: zoom.id, path: 'users' };

onOneEngine("another team's thing", (engine) => {
  const simulator = useStage(() => startProviderSimulator());
  let ownClient: { clientId: string; clientSecret: string };
  const stage = useStage(() => {
    const env = { OAUTH_ZOOM_CLIENT_ID: 'client-of-operator', OAUTH_ZOOM_CLIENT_SECRET: 'secret-of-operator' };
    return createTestApp(engine, { env, outbound: simulator.outbound, forwarder: AGREEABLE });
  });
  const other = prepare(() => stage.createTeam('other'));
  let all: Operation[];
  let operations: Operation[];

  before(async () => {
    simulator.addKey(keyEntry);
    const { clientId, clientSecret } = simulator.add(zoom, { clientId: 'client-of-owner' });
    ownClient = { clientId, clientSecret };
    all = (await readOperations(stage.server)).operations;
    operations = all.filter(({ wants, pathParameters }) => wants === 'accessToken' && pathParameters.length > 0);
  });

  const call = async (
    { method, path }: Pick<Operation, 'method' | 'path'>,
    { headers }: { headers: Record<string, string> },
    parameters: Record<string, string>,
    body?: object,
  ) => {
    const url = fillPath(path, parameters);
    return toAnswer(await stage.server.inject({ method, url, headers, ...(body ? { payload: body } : {}) }));
  };

  const callNamed = async (name: string, person: Person, body?: object) => {
    const operation = operations.find((one) => one.name === name);
    assert.ok(operation, `There is no ${name}.`);
    return call(operation, person, PATH, body);
  };

  /** Begins, consents and comes back, in the same browser or in one that proves nothing. */
  const comeBack = async (person: Person, { proved }: { proved: boolean }) => {
    const begun = await callNamed('POST /api/integrations/{provider}/connect', person);
    assert.equal(begun.status, 200, begun.body);
    const back = new URL(simulator.consent(JSON.parse(begun.body).authorizationUrl));
    const cookie = cookieFrom(begun.headers['set-cookie'], 'patchbay_connect');
    const headers = { accept: 'application/json', ...(proved ? { cookie } : {}) };
    const arrived = await stage.server.inject({ url: `${back.pathname}${back.search}`, headers });
    assert.equal(arrived.statusCode, proved ? 200 : 202, arrived.body);
    return arrived.json<{ attempt: string; account: { label: string } }>();
  };

  /** With everything that a team can have at a provider. */
  const own = async ({ admin, member }: Team): Promise<Owned> => {
    const put = await callNamed('PUT /api/integrations/{provider}/credentials', admin, ownClient);
    assert.equal(put.status, 200, put.body);
    const { account } = await comeBack(member, { proved: true });
    const { attempt } = await comeBack(member, { proved: false });
    return { account: account.label, parked: { attempt } };
  };

  test('exists for every operation that addresses one', () => {
    assert.ok(operations.length > 0);
    const known = [...Object.keys(MAKERS), ...Object.keys(AT_PROVIDER)];
    assert.deepEqual(operations.map(({ name }) => name).sort(), known.sort());
  });

  test('looks nonexistent, byte for byte, and stays unchanged', async () => {
    for (const [index, operation] of operations.filter(({ name }) => name in MAKERS).entries()) {
      const { name } = operation;
      const owner = await stage.createTeam(`owner${index}`);
      const thing = await MAKERS[name]?.(stage, owner);
      assert.ok(thing, `${name} has no maker.`);
      const before = await thing.row();
      assert.ok(before, `${name}: there is a row.`);

      const refused = await call(operation, other.admin, thing.path, thing.body);
      const unknown = await call(operation, other.admin, thing.unknown, thing.body);
      expectProblem(refused, 404, `${name} of another team`);
      assert.deepEqual(withoutRequestId(refused), withoutRequestId(unknown), `${name} tells nothing`);
      assert.deepEqual(await thing.row(), before, `${name} changed the row`);

      const { headers = owner.admin.headers } = thing;
      const done = await call(operation, { headers }, thing.path, thing.body);
      assert.ok(done.status < 300, `${name} works for its own team: ${done.status} ${done.body}`);
    }
  });

  test('at a provider changes no response, and stays unchanged', async () => {
    const askers = new Map<string, { admin: Person; before: unknown }>();
    const ask = async (operation: Operation, admin: Person, owned: Owned) => {
      const { body, status, says, random = /(?!)/ } = AT_PROVIDER[operation.name] ?? assert.fail(operation.name);
      const answer = await call(operation, admin, PATH, body?.(owned));
      assert.equal(answer.status, status, `${operation.name}: ${answer.body}`);
      assert.match(answer.body, says, operation.name);
      if (status >= 400) expectProblem(answer, status, operation.name);
      return JSON.parse(
        JSON.stringify(withoutRequestId(answer), (_, value) =>
          typeof value === 'string' ? value.replace(random, '…') : value,
        ),
      );
    };
    const atProvider = operations.filter(({ name }) => name in AT_PROVIDER);
    for (const [index, operation] of atProvider.entries()) {
      const { admin } = await stage.createTeam(`asker${index}`);
      askers.set(operation.name, { admin, before: await ask(operation, admin, NOTHING) });
    }

    const owner = await stage.createTeam('owner-at-provider');
    const owned = await own(owner);
    const second = await comeBack(owner.member, { proved: false });
    const token = simulator.requestsOf(zoom.id, 'token').length;
    assert.equal(token, 1, simulator.explain(zoom.id));
    const readRows = async (but: string | undefined) =>
      Promise.all(
        ['connections', 'provider_credentials', 'revocations', 'connect_attempts']
          .filter((table) => table !== but)
          .map((table) => stage.app.database.all(`select * from ${table} where team_id = $1`, [owner.team.id])),
      );

    for (const operation of atProvider) {
      const { name } = operation;
      const { admin, before } = askers.get(name) ?? assert.fail(name);
      const rows = await readRows(AT_PROVIDER[name]?.changes);
      const requests = simulator.requests.length;
      assert.deepEqual(await ask(operation, admin, owned), before, `${name} tells nothing`);
      assert.deepEqual(await readRows(AT_PROVIDER[name]?.changes), rows, `${name} changed a row`);
      assert.equal(simulator.requests.length, requests, `${name} asked the provider`);
    }

    const work = (name: string, person: Person, body?: object) =>
      callNamed(`${name.replace(' ', ' /api/integrations/{provider}/')}`, person, body);
    const handedOut = await work('POST token', owner.admin);
    assert.equal(handedOut.status, 200, handedOut.body);
    const burnt = await work('POST complete', owner.member, owned.parked);
    expectProblem(burnt, 409, 'an attempt that somebody else held');
    const finished = await work('POST complete', owner.member, { attempt: second.attempt });
    assert.equal(finished.status, 200, finished.body);
    const ended = await work('POST disconnect', owner.member);
    assert.match(ended.body, /"revocation":"revoked"/);
    assert.equal((await work('DELETE credentials', owner.admin)).status, 204);
    const [connections, credentials] = await readRows(undefined);
    assert.deepEqual([connections, credentials], [[], []], 'Its own team can take all of it away.');
  });

  test('cannot have a number added to it', async () => {
    const owner = await stage.createTeam('owner-of-account');
    const theirs = await makeTelephony(stage, owner);
    const own = await makeTelephony(stage, other);
    const readRows = () =>
      stage.app.database.all('select * from telephony_numbers where team_id = $1 or account_id = $2', [
        owner.team.id,
        theirs.account.id,
      ]);
    const before = await readRows();
    const attempts = {
      'POST /api/telephony/numbers': { number: '+15551237777', account: theirs.account.id },
      'PATCH /api/telephony/numbers/{id}': { account: theirs.account.id },
    };
    for (const [name, body] of Object.entries(attempts)) {
      const operation = all.find((one) => one.name === name) ?? assert.fail(name);
      const refused = await call(operation, other.admin, { id: own.number.id }, body);
      const unknown = await call(operation, other.admin, { id: own.number.id }, { ...body, account: NOBODYS });
      assert.equal(expectProblem(refused, 404, name).code, 'telephony.account_unknown');
      assert.deepEqual(withoutRequestId(refused), withoutRequestId(unknown), `${name} tells nothing`);
    }
    assert.deepEqual(await readRows(), before);
  });

  test("cannot be marked among one's own", async () => {
    const owner = await stage.createTeam('owner-of-marked');
    const [theirs, own] = [await makeTelephony(stage, owner), await makeTelephony(stage, other)];
    const operation = all.find(({ name }) => name === 'POST /api/calls/returned') ?? assert.fail();
    const readRows = () =>
      stage.app.database.all('select * from calls where id = $1 or id = $2 order by id', [own.call.id, theirs.call.id]);
    const before = await readRows();
    const mark = (id: string) => call(operation, other.admin, {}, { ids: [own.call.id, id], allAttempts: true });
    const [refused, unknown] = [await mark(theirs.call.id), await mark(NOBODYS)];
    assert.equal(expectProblem(refused, 404, operation.name).code, 'telephony.call_unknown');
    assert.deepEqual(withoutRequestId(refused), withoutRequestId(unknown), 'It tells nothing.');
    assert.deepEqual(await readRows(), before);
  });

  test('is found by no filter and no cursor', async () => {
    const owner = await stage.createTeam('owner-of-calls');
    const asker = await stage.createTeam('asker-of-calls');
    for (let index = 0; index < 3; index++) await makeTelephony(stage, owner);
    const list = all.find(({ name }) => name === 'GET /api/calls') ?? assert.fail();
    const read = async (person: Person, query: string) => {
      const answer = await call({ ...list, path: `${list.path}${query}` }, person, {});
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body);
    };
    const { nextCursor } = await read(owner.member, '?limit=1');
    assert.ok(nextCursor);
    const from = encodeURIComponent(CALLER);
    for (const query of [
      `?cursor=${nextCursor}`,
      `?from=${from}`,
      `?to=${encodeURIComponent(OUR_NUMBER)}`,
      '?outcome=missed',
    ]) {
      assert.ok((await read(owner.member, query)).calls.length > 0, query);
      assert.deepEqual(await read(asker.admin, query), { calls: [], nextCursor: null }, query);
    }
  });

  /** They say whether the team has set something up, or how much it stores, and name nothing of the team's. */
  const NAMELESS = ['GET /api/integrations/providers', 'GET /api/telephony/storage'];

  test('appears in no list', async () => {
    const lists = all.filter(
      ({ method, wants, pathParameters }) => method === 'GET' && wants === 'accessToken' && pathParameters.length === 0,
    );
    const owner = await stage.createTeam('listed');
    const before = new Map<string, { mine: string; theirs: string }>();
    for (const list of lists.filter(({ name }) => NAMELESS.includes(name))) {
      const [mine, theirs] = [await call(list, owner.admin, {}), await call(list, other.admin, {})];
      before.set(list.name, { mine: mine.body, theirs: theirs.body });
    }
    assert.equal(before.size, NAMELESS.length);
    await makeToken(stage, owner);
    const { account } = await own(owner);
    assert.equal((await callNamed('POST /api/integrations/{provider}/token', owner.admin, {})).status, 200);
    const phone = await makeTelephony(stage, owner);
    const { id: reportId } = await makeReport(stage, owner);
    const slack = all.find(({ name }) => name === 'PUT /api/reports/slack') ?? assert.fail('no Slack');
    assert.equal((await call(slack, owner.admin, {}, { url: 'https://hooks.slack.com/services/x' })).status, 200);
    const { id: sessionId } = await makeSession(stage, owner);
    const broken = { teamId: owner.team.id, type: 'connection.needs_reconnect', subject: account, data: {} } as const;
    await stage.app.database.transaction((tx) => stage.app.events.record(tx, broken));
    await stage.app.notices.alerts.look();
    const { id: endpointId } = await makeEndpoint()(stage, owner);
    const { id: approvalId } = await makeApproval(stage, owner);
    const { path: contained } = await makeContainment(stage, owner);
    const ids = [
      contained['id'] ?? '',
      approvalId,
      reportId,
      sessionId,
      endpointId,
      phone.account.id,
      phone.accountId,
      phone.number.id,
      phone.call.id,
      phone.callSid,
    ];
    const secrets = [owner.team.id, owner.admin.user.id, owner.member.user.id, 'listed.example', account, ...ids];
    for (const list of lists) {
      const mine = await call(list, owner.admin, {});
      const theirs = await call(list, other.admin, {});
      const nameless = before.get(list.name);
      if (nameless) {
        assert.notEqual(mine.body, nameless.mine, `${list.name} shows the team nothing of its own`);
        assert.equal(theirs.body, nameless.theirs, `${list.name} shows something of another team`);
      } else {
        assert.ok(
          secrets.some((secret) => mine.body.includes(secret)),
          `${list.name} shows the team nothing of its own: make something for it first`,
        );
      }
      for (const secret of secrets) assert.ok(!theirs.body.includes(secret), `${list.name} shows ${secret}`);
    }
    const status = lists.find(({ name }) => name === 'GET /api/integrations/status') ?? assert.fail('no status');
    assert.ok((await call(status, owner.admin, {})).body.includes(account), 'The account is there to be seen.');
  });
});
