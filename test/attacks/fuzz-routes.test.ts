import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Engine, Outbound } from '../../src/platform/index.ts';
import { getFirstTeamId } from '../../src/teams/index.ts';
import { getFirstAdmin } from '../../src/teams/records/user-store.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { readRecord } from '../harness/connect-flow.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, type Operations, readOperations } from '../harness/operations.ts';
import { AGREEABLE, keyEntry, parkRequest } from '../harness/parked-approval.ts';
import { type Answer, expectHouseHeaders, expectProblem, toAnswer } from '../harness/problem.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { startProviderSimulator } from '../harness/provider-simulator.ts';
import { anyText, valuesAround } from '../harness/schema-values.ts';
import { cookieFrom, openSession } from '../harness/sessions.ts';
import {
  AUTH_TOKEN,
  createPhoneLine,
  newAccountSid,
  newCallSid,
  newRecordingSid,
  OUR_NUMBER,
  type Params,
  RECORDING,
  SERVICE_URL,
  signForm,
  VOICE,
} from '../harness/telephony-stage.ts';
import { addUnloggedCall, LOGGING_PROVIDER } from '../harness/unlogged-call.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { signAsGitHub } from '../harness/webhook-senders.ts';
import { signAsSlack, slackEvent } from '../harness/withdrawal-senders.ts';

/** Each run tries other requests. `TIMES=20 npm test -- test/attacks/fuzz-routes.test.ts` tries twenty times as many. */
const TIMES = Number(process.env['TIMES'] ?? 1);
/** What is wrong with a request rarely has to do with the engine, and PostgreSQL takes three times as long. */
const RUNS: Record<Engine, number> = { sqlite: 30 * TIMES, postgresql: 10 * TIMES };
/** An operation without any input has only its headers to vary. */
const RUNS_WITHOUT_INPUT = 10;
const LONGEST_MS = 5_000;
/** For all operations together. A machine that is busy needs minutes. */
const ALL_MS = 300_000 * TIMES;

const CREDENTIALS: Record<string, string> = {
  accessToken: SECRETS.PATCHBAY_ADMIN_TOKEN,
  cron: SECRETS.CRON_SECRET,
  debug: SECRETS.DEBUG_TOKEN,
  metrics: SECRETS.METRICS_TOKEN,
  operator: SECRETS.PATCHBAY_OPERATOR_TOKEN,
};

let numbers = 0;
const newNumber = (): string => `+1555${String(++numbers).padStart(7, '0')}`;

type Sent = {
  path: Record<string, string>;
  query: readonly (readonly [string, string])[];
  headers: Record<string, string>;
  type: string;
  body: string | Buffer | null;
};

/** Parts of a successful request that random values never hit, because something has to happen first. */
type Story = () => Promise<Partial<Sent>>;

const PARTS = ['path', 'query', 'headers', 'body'] as const;
type Parts = readonly (typeof PARTS)[number][];

const PLAIN: Sent = { path: {}, query: [], headers: {}, type: 'application/json', body: null };

/** What is taken from the story: nothing, all of it, or parts that don't fit the random rest. */
const anyParts: fc.Arbitrary<Parts> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  fc.constant(PARTS),
  fc.subarray([...PARTS]),
);

const mix = (sent: Sent, story: Partial<Sent>, parts: Parts): Sent => {
  const told: Partial<Sent> = Object.fromEntries(parts.map((part) => [part, story[part] ?? sent[part]]));
  return {
    ...sent,
    ...told,
    type: (parts.includes('body') ? story.type : undefined) ?? sent.type,
    query: parts.includes('query') ? [...(story.query ?? []), ...sent.query] : sent.query,
    headers: { ...sent.headers, ...told.headers },
  };
};

const SAID_OF_CALLS = [
  ...['account', 'step', 'number', 'AccountSid', 'CallSid', 'CallStatus', 'RecordingSid', 'CallUUID', 'RecordingID'],
  ...['uuid', 'conversation_uuid', 'to', 'status', 'eventType', 'callId', 'accountId', 'bodySHA256', 'constructor'],
];

/** What a provider sends, or sends back with the browser, is not in the document: it differs with the provider. */
const UNDOCUMENTED: Record<string, string[]> = {
  'GET /api/webhooks/telephony/voice': SAID_OF_CALLS,
  'POST /api/webhooks/telephony/voice': SAID_OF_CALLS,
  'GET /api/webhooks/telephony/recording': SAID_OF_CALLS,
  'POST /api/webhooks/telephony/recording': SAID_OF_CALLS,
  'GET /api/integrations/{provider}/callback': ['state', 'code', 'iss', 'error', 'error_description', 'scope'],
};

/** The name of the document with the schemas of all responses. */
const ANSWERS = 'answers';

/** A name as a part of a JSON pointer. */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Responds with a page unless JSON is requested. */
const ANSWERS_PAGES = 'GET /api/integrations/{provider}/callback';

type Known = Record<string, readonly [string, ...string[]]>;

const requestsFor = (
  { name, pathParameters, query, body }: Operation,
  schemas: Operations['schemas'],
  known: Known,
): fc.Arbitrary<Sent> => {
  const names = [...Object.keys(query), ...(UNDOCUMENTED[name] ?? [])];
  const ids = Object.values(known).flat();
  const value = fc.oneof(fc.constantFrom(...ids), anyText, fc.integer().map(String));
  const json: fc.Arbitrary<Sent['body']> = body
    ? valuesAround(body, schemas).map((one) => JSON.stringify(one))
    : fc.constant(null);
  const bytes: fc.Arbitrary<Sent['body']> = fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one));
  const text: fc.Arbitrary<Sent['body']> = anyText;
  const pairs: fc.Arbitrary<Sent['query']> = fc.array(
    fc.tuple(fc.constantFrom(...names, 'unknown', '__proto__', 'limit[]'), value),
    { maxLength: 4 },
  );
  const none: fc.Arbitrary<Sent['query']> = fc.constant([]);
  return fc.record({
    path: fc.record(
      Object.fromEntries(
        pathParameters.map((one) => [one, fc.oneof(fc.constantFrom(...(known[one] ?? ids)), anyText)]),
      ),
    ),
    headers: fc.constantFrom({}, { accept: 'application/json' }, { accept: '*/*' }),
    query: fc.oneof({ weight: 3, arbitrary: none }, pairs),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant('application/json') }, fc.constantFrom('text/plain', 'a/b', '')),
    body: fc.oneof({ weight: 9, arbitrary: json }, bytes, text),
  });
};

/** The key of a customer whom no random request deletes. */
const STAYS = 'customer-who-stays';

const SLACK = 'https://hooks.slack.com/services/x';

/** Slack accepts everything, and nothing else is at its address. */
const withSlack = ({ request, open }: Outbound): Outbound => ({
  open,
  request: async (asked) =>
    asked.url === SLACK ? { status: 200, headers: {}, body: Buffer.from('ok') } : request(asked),
});

const printQuery = (query: Sent['query']): string =>
  query.length === 0
    ? ''
    : `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;

const SIGNING_SECRET = 'signing-secret';

onOneEngine('any request at all', (engine) => {
  const simulator = useStage(() => startProviderSimulator());
  const key = prepare(async () => simulator.addKey(keyEntry));
  const stage = useStage(() => {
    const env = Object.assign(
      { PATCHBAY_RATE_LIMIT: '10000000' },
      ...['zoom', 'xero', 'google', 'slack'].map((id) => simulator.add(readRecord(id)).env),
      { OAUTH_SLACK_WEBHOOK_SECRET: SIGNING_SECRET },
    );
    return createTestApp(engine, { env, outbound: withSlack(simulator.outbound), forwarder: AGREEABLE });
  });
  let operations: Operation[];
  let schemas: Operations['schemas'];
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);

  before(async () => {
    ({ operations, schemas } = await readOperations(stage.server));
    // All in one document, because each further document with the named schemas would be searched for references again.
    const answers = Object.fromEntries(operations.map((operation) => [operation.name, operation.answers]));
    ajv.addSchema({ $id: ANSWERS, components: { schemas }, answers });
  });

  /** Compiles a response of the document, and keeps it. */
  const fitOf = (name: string, documented: string): ValidateFunction => {
    const path = ['answers', name, documented].map((part) => encodeURIComponent(escapePointer(part))).join('/');
    return ajv.getSchema(`${ANSWERS}#/${path}`) ?? assert.fail(`There is no ${path}.`);
  };

  const admin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

  /** Ids that exist, so that some requests get past the first check. */
  const findIds = async (): Promise<Known> => {
    const read = async (url: string, list: string) =>
      (await stage.server.inject({ url, headers: admin })).json<Record<string, { id: string }[]>>()[list] ?? [];
    const members = (await read('/api/members', 'members')).slice(0, 20);
    const tokens = (await read('/api/tokens', 'tokens')).slice(0, 20);
    const accounts = (await read('/api/telephony/accounts', 'accounts')).slice(0, 10);
    const numbers = (await read('/api/telephony/numbers', 'numbers')).slice(0, 10);
    const calls = (await read('/api/calls', 'calls')).slice(0, 10);
    const approvals = (await read('/api/approvals', 'approvals')).slice(0, 10);
    return {
      id: ['unknown', ...[...approvals, ...members, ...tokens, ...accounts, ...numbers, ...calls].map(({ id }) => id)],
      // Two that are configured, one of our own, one that needs params, one that is not configured and one with a key.
      provider: ['zoom', 'xero', 'google', 'sandbox', 'shopify', 'linear', keyEntry.id],
    };
  };

  const path = { provider: 'zoom' };

  const begin = async (provider = 'zoom') => {
    // An earlier request may have given the team a client that is unknown to the provider.
    await stage.server.inject({ method: 'DELETE', url: `/api/integrations/${provider}/credentials`, headers: admin });
    const begun = await stage.server.inject({
      method: 'POST',
      url: `/api/integrations/${provider}/connect`,
      headers: admin,
    });
    const { authorizationUrl, connectUrl } = begun.json<{ authorizationUrl: string; connectUrl: string }>();
    return {
      query: [...new URL(simulator.consent(authorizationUrl)).searchParams],
      ticket: [...new URL(connectUrl).searchParams],
      headers: { cookie: cookieFrom(begun.headers['set-cookie'], 'patchbay_connect') },
    };
  };

  const bringBack = async (cookie: Record<string, string>, query: Sent['query'], provider = 'zoom') =>
    (
      await stage.server.inject({
        url: `/api/integrations/${provider}/callback${printQuery(query)}`,
        headers: { accept: 'application/json', ...cookie },
      })
    ).json();

  const connect: Story = async () => {
    const { query, headers } = await begin();
    assert.equal((await bringBack(headers, query)).outcome, 'connected', simulator.explain('zoom'));
    return { path };
  };

  /** Their consent covers several sites. */
  const connectSites: Story = async () => {
    const { query, headers } = await begin('xero');
    assert.equal((await bringBack(headers, query, 'xero')).outcome, 'connected', simulator.explain('xero'));
    return { path: { provider: 'xero' } };
  };

  const create = async <Made = { id: string }>(url: string, payload: object): Promise<Made> => {
    const made = await stage.server.inject({ method: 'POST', url, headers: admin, payload });
    assert.equal(made.statusCode, 201, made.body);
    return made.json();
  };

  const newMember = () => ({ email: `member${newNumber()}@example.com` });
  const ofMember = async () => {
    const { member } = await create<{ member: { id: string } }>('/api/members', newMember());
    return { path: { id: member.id } };
  };
  const newAccount = () => ({ provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] });
  const makePhone = async () => {
    const wish = newAccount();
    const account = await create('/api/telephony/accounts', wish);
    const number = await create('/api/telephony/numbers', { number: OUR_NUMBER, account: account.id });
    return { account, number, line: createPhoneLine(stage.server, { id: account.id, accountId: wish.accountId }) };
  };
  const changeOf = async (id: string): Promise<number | undefined> =>
    (
      await stage.app.database.get<{ change: number }>(
        'select change from telephony_accounts where id = $1 and removed_at is null',
        [id],
      )
    )?.change;
  let phone: (Awaited<ReturnType<typeof makePhone>> & { change: number | undefined }) | undefined;
  /** Reused for many requests, as long as none of them has changed or removed it. */
  const usePhone = async () => {
    if (phone && (await changeOf(phone.account.id)) === phone.change) return phone;
    const made = await makePhone();
    phone = { ...made, change: await changeOf(made.account.id) };
    return phone;
  };
  const ofAccount = async () => ({ path: { id: (await usePhone()).account.id } });
  const ofNumber = async () => ({
    path: {
      id: (await create('/api/telephony/numbers', { number: newNumber(), account: (await usePhone()).account.id })).id,
    },
  });
  const ofCall = async () => {
    const { line } = await usePhone();
    const sid = newCallSid();
    await line.status(sid, 'no-answer');
    await stage.app.telephony.settle();
    const row = await stage.app.database.get<{ id: string }>('select id from calls where external_id = $1', [sid]);
    return { path: { id: row?.id ?? assert.fail('no call') } };
  };
  const ofRecording = async () => {
    const { line } = await usePhone();
    const sid = newRecordingSid();
    await line.recorded(newCallSid(), sid);
    await stage.app.telephony.settle();
    const row = await stage.app.database.get<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from recordings where external_id = $1',
      [sid],
    );
    await archiveRecording(stage.app, row ?? assert.fail('no recording'));
    return { path: { id: row?.id ?? '' } };
  };
  const NOWHERE = JSON.stringify({ url: 'http://127.0.0.1:9/hook' });
  /** Of a team or the operator. Nothing listens there, and there can only be a few. */
  const openAddress = async (secret?: string) => {
    const url = '/api/integrations/github/webhook';
    await stage.server.inject({ method: 'DELETE', url, headers: admin });
    const payload = secret === undefined ? {} : { secret };
    const made = await stage.server.inject({ method: 'PUT', url, headers: admin, payload });
    const { url: address, secrets } = made.json<{ url: string; secrets: { id: string }[] }>();
    return { address: address.split('/').at(-1) ?? '', secretId: secrets[0]?.id ?? '' };
  };
  const atWebhook =
    (body?: string): Story =>
    async () => {
      await openAddress();
      return { path: { provider: 'github' }, ...(body && { body }) };
    };
  const checkAddress: Story = async () => ({ path: { provider: 'github', address: (await openAddress()).address } });
  const checkOperators: Story = async () => ({ path: { provider: 'slack' } });
  const ofEndpoint = (list: string, body?: string) => async () => {
    const headers = list.includes('operator') ? OPERATOR : admin;
    await stage.app.database.run('delete from event_endpoints');
    const made = await stage.server.inject({
      ...{ method: 'POST', url: list, payload: NOWHERE },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    return { path: { id: made.json<{ id: string }>().id }, ...(body && { body }) };
  };
  const ofEvent = (isCustomers: boolean) => async () => {
    const first = (await getFirstTeamId(stage.app.database)) ?? assert.fail('no team');
    const teamId = isCustomers ? (await putCustomer(stage, STAYS)).id : first;
    const event = providerEvent(teamId, { payload: JSON.stringify('a'.repeat(20_000)) });
    const [id] = await stage.app.database.transaction((tx) => stage.app.events.record(tx, event));
    return { path: { id: `evt_${id}` } };
  };
  const ofEvents = (base: string): Record<string, Story> => {
    const list = `${base}/endpoints`;
    const one = `${list}/{id}`;
    return {
      [`POST ${list}`]: async () => {
        await stage.app.database.run('delete from event_endpoints');
        return { body: NOWHERE };
      },
      [`GET ${one}`]: ofEndpoint(list),
      [`PATCH ${one}`]: ofEndpoint(list, '{"active":false}'),
      [`DELETE ${one}`]: ofEndpoint(list),
      [`POST ${one}/test`]: ofEndpoint(list),
      [`POST ${one}/rotate`]: ofEndpoint(list),
      [`POST ${one}/replay`]: ofEndpoint(list, '{"since":"2026-11-01T00:00:00Z"}'),
      [`GET ${base}/{id}`]: ofEvent(base.includes('operator')),
      [`GET ${base}/{id}/payload`]: ofEvent(base.includes('operator')),
      [`POST ${base}/{id}/resend`]: ofEvent(base.includes('operator')),
    };
  };
  const ofCustomer = async (key = STAYS): Promise<Partial<Sent>> => {
    await putCustomer(stage, key);
    return { path: { key } };
  };
  const ofCustomerUser = async (): Promise<Partial<Sent>> => ({
    path: { ...(await ofCustomer()).path, userKey: 'comes-and-goes' },
  });
  const ofApproval = async () => ({ path: { id: (await parkRequest(stage.server, admin)).id } });
  const signed = async (address: string, params: Params): Promise<Partial<Sent>> => {
    const { url, headers, payload } = signForm(address, params);
    const { 'content-type': type, ...others } = headers;
    return {
      query: [...new URL(url, SERVICE_URL).searchParams],
      headers: others,
      type,
      body: payload,
    };
  };

  /** Nothing was connected that long ago, so that other requests go on. */
  const ofContainments = (url: string, headers: Record<string, string>): Record<string, Story> => {
    const payload = { reason: 'a test', connectedBefore: '2020-01-01T00:00:00Z' };
    const ofOne: Story = async () => {
      const made = await stage.server.inject({ method: 'POST', url, headers, payload: { ...payload, dryRun: false } });
      const list = await stage.server.inject({ url, headers });
      const known = list.json<{ containments: { id: string }[] }>().containments[0];
      return { path: { id: made.statusCode === 201 ? made.json().id : (known?.id ?? 'unknown') } };
    };
    return {
      [`POST ${url}`]: async () => ({ body: JSON.stringify(payload) }),
      [`GET ${url}/{id}`]: ofOne,
      [`DELETE ${url}/{id}`]: ofOne,
      [`GET ${url}/{id}/exposure.csv`]: ofOne,
    };
  };

  const STORIES: Record<string, Story> = {
    ...ofEvents('/api/events'),
    ...ofEvents('/api/operator/events'),
    ...ofContainments('/api/containments', admin),
    ...ofContainments('/api/operator/containments', OPERATOR),
    'POST /api/telephony/erase': async () => ({ body: '{"number":"+15551239998"}' }),
    'GET /api/approvals/{id}': ofApproval,
    'POST /api/approvals/{id}/approve': ofApproval,
    'POST /api/approvals/{id}/refuse': ofApproval,
    'GET /api/approvals/{id}/response': async () => {
      const { id, token } = await parkRequest(stage.server, admin);
      await stage.server.inject({ method: 'POST', url: `/api/approvals/${id}/approve`, headers: admin });
      return { path: { id }, headers: token };
    },
    'DELETE /api/sessions/{id}': async () => {
      const teamId = (await getFirstTeamId(stage.app.database)) ?? assert.fail('no team');
      const user = (await getFirstAdmin(stage.app.database, teamId)) ?? assert.fail('no admin');
      await openSession(stage, user);
      const list = await stage.server.inject({ url: '/api/sessions', headers: admin });
      return { path: { id: list.json<{ sessions: [{ id: string }] }>().sessions[0].id } };
    },
    'PUT /api/reports/slack': async () => ({ body: JSON.stringify({ url: SLACK }) }),
    'POST /api/reports/slack/test': async () => {
      const payload = { url: SLACK };
      await stage.server.inject({ method: 'PUT', url: '/api/reports/slack', headers: admin, payload });
      return {};
    },
    'GET /api/reports/{week}': async () => {
      const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
      const run = await stage.server.inject({ url: '/api/cron/weekly-report?week=2026-W45', headers });
      return { path: { week: run.json<{ reports: [{ week: string }] }>().reports[0].week } };
    },
    'POST /api/webhooks/telephony/voice': async () => {
      const { line } = await usePhone();
      return signed(line.address(VOICE), line.call(newCallSid(), { CallStatus: 'ringing' }));
    },
    'POST /api/webhooks/telephony/recording': async () => {
      const { line } = await usePhone();
      const { AccountSid = '', CallSid = '' } = line.call(newCallSid());
      return signed(line.address(RECORDING), {
        AccountSid,
        CallSid,
        RecordingSid: newRecordingSid(),
        RecordingStatus: 'in-progress',
      });
    },
    'POST /api/webhooks/integrations/{provider}': async () => {
      const seconds = Math.floor(Date.now() / 1_000);
      const event = slackEvent({ type: 'app_uninstalled' }, { team: 'T1', seconds });
      const { headers, body } = signAsSlack(event, SIGNING_SECRET, seconds);
      return { path: { provider: 'slack' }, headers, body };
    },
    'GET /api/webhooks/integrations/{provider}': checkOperators,
    'HEAD /api/webhooks/integrations/{provider}': checkOperators,
    'GET /api/webhooks/integrations/{provider}/{address}': checkAddress,
    'HEAD /api/webhooks/integrations/{provider}/{address}': checkAddress,
    'POST /api/webhooks/integrations/{provider}/{address}': async () => {
      const { address } = await openAddress('chosen-by-us');
      const id = `delivery-${newNumber()}`;
      const { headers, body } = await signAsGitHub('{"action":"opened"}', { secret: 'chosen-by-us', now: 0, id });
      return { path: { provider: 'github', address }, headers, body };
    },
    'GET /api/integrations/{provider}/webhook': atWebhook(),
    'PUT /api/integrations/{provider}/webhook': atWebhook('{"secret":"chosen-by-us"}'),
    'DELETE /api/integrations/{provider}/webhook': atWebhook(),
    'POST /api/integrations/{provider}/webhook/rotate': atWebhook(),
    'DELETE /api/integrations/{provider}/webhook/secrets/{id}': async () => ({
      path: { provider: 'github', id: (await openAddress('chosen-by-us')).secretId },
    }),
    'PUT /api/operator/teams/{key}': async () => ({ path: { key: STAYS }, body: '{"name":"a"}' }),
    'GET /api/operator/teams/{key}': () => ofCustomer(),
    'DELETE /api/operator/teams/{key}': () => ofCustomer(`customer${newNumber()}`),
    'POST /api/operator/teams/{key}/sessions': async () => ({
      ...(await ofCustomer()),
      body: '{"user":{"key":"stays"}}',
    }),
    'DELETE /api/operator/teams/{key}/sessions': async () => ({ ...(await ofCustomer()), query: [['user', 'a']] }),
    'PUT /api/operator/teams/{key}/users/{userKey}': async () => ({ ...(await ofCustomerUser()), body: '{}' }),
    'DELETE /api/operator/teams/{key}/users/{userKey}': () => ofCustomerUser(),
    'PATCH /api/team': async () => ({ body: '{"name":"a"}' }),
    'POST /api/members': async () => ({ body: JSON.stringify(newMember()) }),
    'PATCH /api/members/{id}': async () => ({ ...(await ofMember()), body: '{"role":"admin"}' }),
    'DELETE /api/members/{id}': ofMember,
    'POST /api/tokens': async () => ({ body: '{"name":"a"}' }),
    'DELETE /api/tokens/{id}': async () => ({ path: { id: (await create('/api/tokens', { name: 'a' })).id } }),
    'PUT /api/events/alerts': async () => {
      const { settings } = (await stage.server.inject({ url: '/api/events/alerts', headers: admin })).json();
      return { body: JSON.stringify({ settings }) };
    },
    'POST /api/events/alerts/{id}/dismiss': async () => {
      const { database, events, notices, newId } = stage.app;
      const teamId = (await getFirstTeamId(database)) ?? assert.fail('no team');
      // Other requests may have turned alerts off, and only the newest are listed.
      for (const table of ['event_alerts', 'event_alert_settings']) await database.run(`delete from ${table}`);
      const broken = { teamId, type: 'connection.needs_reconnect', subject: newId(), data: {} } as const;
      await database.transaction((tx) => events.record(tx, broken));
      await notices.alerts.look();
      const { alerts } = await notices.alerts.list({ teamId, role: 'admin' });
      return { path: { id: alerts.find(({ subject }) => subject === broken.subject)?.id ?? '' } };
    },
    'POST /api/telephony/accounts': async () => ({ body: JSON.stringify(newAccount()) }),
    'GET /api/telephony/accounts/{id}': ofAccount,
    'PATCH /api/telephony/accounts/{id}': async () => ({ ...(await ofAccount()), body: '{"mode":"enforce"}' }),
    'POST /api/telephony/accounts/{id}/release': ofAccount,
    'DELETE /api/telephony/accounts/{id}': async () => ({
      path: { id: (await create('/api/telephony/accounts', newAccount())).id },
    }),
    'POST /api/telephony/numbers': async () => ({
      body: JSON.stringify({ number: newNumber(), account: (await usePhone()).account.id }),
    }),
    'GET /api/telephony/numbers/{id}': ofNumber,
    'PATCH /api/telephony/numbers/{id}': async () => ({ ...(await ofNumber()), body: '{"label":"a"}' }),
    'DELETE /api/telephony/numbers/{id}': ofNumber,
    'GET /api/calls/{id}': ofCall,
    'POST /api/calls/{id}/returned': ofCall,
    'DELETE /api/calls/{id}/returned': ofCall,
    'POST /api/calls/returned': async () => ({ body: JSON.stringify({ ids: [(await ofCall()).path.id] }) }),
    'GET /api/recordings/{id}': ofRecording,
    'GET /api/recordings/{id}/audio': ofRecording,
    'POST /api/integrations/{provider}/connect': async () => ({ path, body: '{}' }),
    'GET /api/integrations/{provider}/connect': async () => ({ path, query: (await begin()).ticket }),
    'GET /api/integrations/{provider}/callback': async () => {
      const { query, headers } = await begin();
      return { path, query, headers: { ...headers, accept: 'application/json' } };
    },
    'POST /api/integrations/{provider}/complete': async () => {
      const { attempt } = await bringBack({}, (await begin()).query);
      return { path, body: JSON.stringify({ attempt }) };
    },
    'POST /api/integrations/{provider}/disconnect': connect,
    'POST /api/integrations/{provider}/token': connect,
    'GET /api/integrations/{provider}/people/calls': connect,
    'POST /api/integrations/{provider}/people/calls/{id}/retry': async () => {
      const teamId = (await getFirstTeamId(stage.app.database)) ?? assert.fail('no team');
      const { id: connectedBy } = (await getFirstAdmin(stage.app.database, teamId)) ?? assert.fail('no admin');
      const id = await addUnloggedCall(stage.app, { teamId, connectedBy });
      return { path: { provider: LOGGING_PROVIDER, id }, body: '{}' };
    },
    'GET /api/integrations/{provider}/people': connect,
    'PATCH /api/integrations/{provider}/people': async () => ({ ...(await connect()), body: '{"lookup":false}' }),
    'GET /api/integrations/{provider}/sites': connectSites,
    'PUT /api/integrations/{provider}/site': async () => ({
      ...(await connectSites()),
      body: JSON.stringify({ site: simulator.sitesOf('xero').at(-1)?.id }),
    }),
    ...Object.fromEntries(
      ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
        `${method} /api/integrations/{provider}/proxy/{path}`,
        async () => ({ path: { ...(await connect()).path, path: 'users/me' }, body: '' }),
      ]),
    ),
    'PUT /api/integrations/{provider}/key': async () => ({
      path: { provider: keyEntry.id },
      body: JSON.stringify({ fields: key.fields }),
    }),
    'PUT /api/integrations/{provider}/credentials': async () => ({
      path,
      body: '{"clientId":"a","clientSecret":null}',
    }),
    'DELETE /api/integrations/{provider}/credentials': async () => ({ path }),
  };

  const call = async (operation: Operation, { path: filled, query, headers, type, body }: Sent) => {
    const { method, wants } = operation;
    return toAnswer(
      await stage.server.inject({
        method,
        url: `${fillPath(operation.path, filled)}${printQuery(query)}`,
        headers: {
          ...(wants ? { authorization: `Bearer ${CREDENTIALS[wants]}` } : {}),
          ...headers,
          ...(body !== null && type !== '' ? { 'content-type': type } : {}),
        },
        ...(body !== null && method !== 'GET' ? { payload: body } : {}),
      }),
    );
  };

  /** A page that says what happened, or why nothing did. */
  const isPage = ({ name }: Operation, { headers: { accept } }: Sent, { status, headers, body }: Answer): boolean =>
    name === ANSWERS_PAGES &&
    accept !== 'application/json' &&
    status < 500 &&
    headers['content-type'] === 'text/html; charset=utf-8' &&
    body.startsWith('<!doctype html>');

  const expectFit = ({ name, answers }: Operation, answer: Answer): void => {
    const { status, headers, body } = answer;
    const what = `${name} answered ${status} ${body.slice(0, 200)}`;
    assert.ok(status < 500, what);
    expectHouseHeaders(answer, what);
    if (status >= 400) expectProblem(answer, status, what);
    const documented = status >= 400 ? '4XX' : String(status);
    const schema = answers[documented];
    if (status === 204) assert.equal(body, '', what);
    else if (!schema) assert.doesNotMatch(headers['content-type'] ?? '', /json/, `${what}: this is not documented`);
    else {
      const validate = fitOf(name, documented);
      assert.ok(validate(JSON.parse(body)), `${what}: ${ajv.errorsText(validate.errors)}`);
    }
  };

  test('is answered as documented and never fails', { timeout: ALL_MS }, async (context) => {
    const names = operations.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(STORIES).filter((name) => !names.includes(name)),
      [],
      'Every story is of an operation.',
    );
    const needsStory = ({ body, pathParameters }: Operation) => body !== null || pathParameters.length > 0;
    assert.deepEqual(
      operations.filter((operation) => needsStory(operation) && !(operation.name in STORIES)).map(({ name }) => name),
      [],
      'Random values may never produce a valid request.',
    );
    for (const operation of operations) {
      await context.test(operation.name, async () => {
        const seen = new Set<number>();
        const { body, pathParameters, query } = operation;
        const hasInput =
          body !== null || pathParameters.length > 0 || Object.keys(query).length > 0 || operation.name in UNDOCUMENTED;
        const story = STORIES[operation.name] ?? (async () => ({}));
        const requests = requestsFor(operation, schemas, await findIds());
        const hear = async (sent: Sent): Promise<void> => {
          const answer = await call(operation, sent);
          if (isPage(operation, sent, answer)) return expectHouseHeaders(answer, operation.name);
          seen.add(answer.status);
          expectFit(operation, answer);
        };
        const property = fc.asyncProperty(requests, anyParts, async (generated, parts) =>
          hear(parts.length > 0 ? mix(generated, await story(), parts) : generated),
        );
        // First a valid one, because random values may never produce it.
        if (operation.name in STORIES) await hear({ ...PLAIN, ...(await story()) });
        await fc.assert(property, { numRuns: hasInput ? RUNS[engine] : RUNS_WITHOUT_INPUT, timeout: LONGEST_MS });
        const well = [...seen].some((status) => status < 300 || (status < 400 && String(status) in operation.answers));
        assert.ok(well, `Some requests are answered well, not only ${[...seen]}.`);
      });
    }
  });
});
