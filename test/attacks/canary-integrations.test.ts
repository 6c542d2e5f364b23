import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { createLog, type Engine, type Outbound } from '../../src/platform/index.ts';
import { createTestApp, createTestClock, type Person, SECRETS } from '../harness/app.ts';
import { type Canaries, dumpPostgresql, findCanaries, makeCanary, readFiles } from '../harness/canaries.ts';
import { onOneEngine } from '../harness/databases.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { startProviderSimulator } from '../harness/provider-simulator.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A provider's id appears wherever anything is written, which proves that the search works. */
const CONTROL = 'said-on-purpose';
const OWN = 'with-own-client';
const HOUR_MS = 3_600_000;

const recordOf = (id: string, auth: 'basic' | 'post'): FullRecord => ({
  id,
  name: `The provider ${id}`,
  scopes: ['read'],
  authorize: { url: `https://${id}.test/authorize` },
  token: { url: `https://${id}.test/token`, auth },
  refresh: { rotates: 'always' },
  revoke: { url: `https://${id}.test/revoke`, auth },
  identity: { url: `https://${id}.test/me`, id: 'id', label: 'email' },
  pkce: 'required',
});

type OutboundRequest = Parameters<Outbound['request']>[0];

const SECRET_PARAMS = ['code', 'code_verifier', 'refresh_token', 'token', 'client_secret'];

/** Everything secret in a request, by name, as the provider reads it. */
const secretsIn = ({ headers = {}, body = '' }: OutboundRequest): [string, string][] => {
  const [, scheme = '', credential = ''] = /^(\w+) (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  const params = new URLSearchParams(String(body));
  const sent = SECRET_PARAMS.map((name): [string, string] => [name, params.get(name) ?? '']);
  return [...sent, [scheme, credential] as [string, string]].filter(([, secret]) => secret !== '');
};

/** How a provider echoes everything it was sent. */
const ECHOES = {
  'a page': (told: string) => ({ status: 200, type: 'text/html', body: `<h1>Sorry</h1><p>${told}</p>` }),
  'a page of an error': (told: string) => ({ status: 500, type: 'text/html', body: `<title>${told}</title>` }),
  'a description': (told: string) => ({
    status: 400,
    type: 'application/json',
    body: JSON.stringify({ error: 'invalid_request', error_description: told, error_uri: `https://x.test/?${told}` }),
  }),
  'a sentence for a code': (told: string) => ({
    status: 400,
    type: 'application/json',
    body: JSON.stringify({ error: `The request with ${told} is refused.` }),
  }),
  'a form': (told: string) => ({
    status: 400,
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ error: 'invalid_request', error_description: told }).toString(),
  }),
  'half an answer': (told: string) => ({ status: 200, type: 'application/json', body: `{"error":"${told}` }),
} as const;

/** Makes a provider's response from everything that was sent to it. */
type Echo = (told: string) => { status: number; type: string; body: string };

const answerWith = (echo: Echo, request: OutboundRequest): Awaited<ReturnType<Outbound['request']>> => {
  const told = secretsIn(request)
    .map(([, secret]) => secret)
    .join(' ');
  const { status, type, body } = echo(told);
  const headers = {
    'content-type': type,
    'x-echo': told,
    'set-cookie': [`echo=${told}`],
    'www-authenticate': `Bearer error="${told}"`,
    'retry-after': told,
    location: `https://elsewhere.test/?${told}`,
  };
  return { status, headers, body: Buffer.from(body) };
};

/** The part that all its spellings have in common, if there are several. */
const coreOf = (secret: string): string => /[0-9a-f]{24}/.exec(secret)?.[0] ?? secret;

const OVERLAP = 1_000;

/** A write-ahead log mostly grows, so what was searched before isn't searched again. */
const newIn = (now: Buffer, before: Buffer = Buffer.alloc(0)): Buffer =>
  now.subarray(0, before.length).equals(before) ? now.subarray(Math.max(0, before.length - OVERLAP)) : now;

/**
 * The service with two providers, one with the operator's client and one with the team's, and everything that it
 * writes.
 */
const openStage = async (context: TestContext, engine: Engine) => {
  const clock = createTestClock();
  const simulator = await startProviderSimulator({ now: clock.now });
  const canaries: Canaries = {};
  const heard: Record<string, string | Buffer> = {};
  let echo: Echo | null = null;

  const plant = (what: string, secret: string | null | undefined): string => {
    assert.ok(secret && secret.length >= 20, `${what} is no secret: ${secret}`);
    if (Object.values(canaries).includes(secret)) return secret;
    const name = `${what} (${Object.keys(canaries).length})`;
    canaries[name] = secret;
    if (coreOf(secret) !== secret) canaries[`core of ${name}`] = coreOf(secret);
    return secret;
  };

  const outbound: Outbound = {
    async request(request) {
      if (!echo) return simulator.outbound.request(request);
      for (const [name, secret] of secretsIn(request)) plant(name, secret);
      return answerWith(echo, request);
    },
    open: simulator.outbound.open,
  };
  const lines: string[] = [];
  // Known secrets aren't redacted here: this tests what the rooms write, not the safety net below them.
  const log = createLog({
    level: 'debug',
    secrets: [],
    shapes: [],
    destination: { write: (line) => lines.push(line) },
  });

  const records = [recordOf(CONTROL, 'basic'), recordOf(OWN, 'post')];
  const [operator, own] = records.map((record) => {
    const clientSecret = makeCanary();
    canaries[`client secret of ${record.id}`] = clientSecret;
    return simulator.add(record, { clientSecret });
  });
  assert.ok(operator && own);
  const file = writeProviderFile(records);
  const env = { ...operator.env, PATCHBAY_PROVIDERS: file.path };
  const stage = await createTestApp(engine, { env, clock, log, outbound });
  context.after(async () => {
    await stage.close();
    await simulator.stop();
    file.remove();
  });
  const { server, app } = stage;
  const { admin, member } = await stage.createTeam('canary');

  type Asked = {
    method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
    as?: Person;
    headers?: Record<string, string>;
    payload?: object;
    status: number;
    /** What this response shows because the contract says so. */
    shown?: (text: string) => (string | undefined)[];
  };

  /** Keeps every response, headers and body, without what it shows on purpose. */
  const ask = async (url: string, { as, headers = {}, status, shown = () => [], ...request }: Asked) => {
    const sent = { accept: 'application/json', ...as?.headers, ...headers };
    const answer = await server.inject({ ...request, url, headers: sent });
    assert.equal(answer.statusCode, status, `${url}: ${answer.body}\n${simulator.explain(CONTROL)}`);
    const text = `${JSON.stringify(answer.headers)}\n${answer.body}`;
    const rest = shown(text).reduce((left: string, secret) => {
      assert.ok(secret && left.includes(secret), `${url} shows what it should.`);
      return left.replaceAll(secret, '');
    }, text);
    heard[`answer ${Object.keys(heard).length} (${url.split('?')[0]})`] = rest;
    return answer;
  };

  let dumped: Record<string, Buffer> = {};
  const dump = async (when: string): Promise<void> => {
    const databaseUrl = app.config.databaseUrl?.reveal();
    const all = readFiles(app.config.data);
    const files = Object.fromEntries(Object.entries(all).map(([name, now]) => [name, newIn(now, dumped[name])]));
    dumped = all;
    const rows = databaseUrl ? await dumpPostgresql(databaseUrl) : {};
    for (const [place, content] of Object.entries({ ...files, ...rows })) heard[`${place} ${when}`] = content;
  };

  return {
    ...{ stage, simulator, clock, canaries, heard, lines, admin, member, ownClient: own, plant, ask, dump },
    /** From here on, every provider echoes what it is sent. Null restores them. */
    setEcho: (next: Echo | null): void => {
      echo = next;
    },
  };
};

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Everything that can be done with one provider, each step with its own secrets. */
const tellStory = (context: Stage, provider: string) => {
  const { simulator, clock, admin, member, plant, ask, dump, setEcho } = context;
  const base = `/api/integrations/${provider}`;
  const stateIn = (address: string): string => new URL(address).searchParams.get('state') ?? '';

  const plantIssued = (): void => {
    const { accessToken, refreshToken } = simulator.issued(provider);
    plant('access token', accessToken);
    plant('refresh token', refreshToken);
  };

  const plantAsked = (): void => {
    const { params, headers } = simulator.requestsOf(provider, 'token').at(-1) ?? assert.fail('no token request');
    plant('verifier', params['code_verifier']);
    if (headers['authorization']) plant('Basic', headers['authorization'].replace('Basic ', ''));
  };

  const begin = async (wish: object = {}) => {
    const readShown = (text: string) => [
      /[?&]state=([\w.-]+)/.exec(text)?.[1],
      /[?&]ticket=([\w.-]+)/.exec(text)?.[1],
      /patchbay_connect=([\w-]+)/.exec(text)?.[1],
    ];
    const request = { method: 'POST', as: member, payload: wish, status: 200, shown: readShown } as const;
    const begun = await ask(`${base}/connect`, request);
    const { authorizationUrl, connectUrl } = begun.json<{ authorizationUrl: string; connectUrl: string }>();
    const cookie = cookieFrom(begun.headers['set-cookie'], 'patchbay_connect');
    plant('state', stateIn(authorizationUrl));
    plant('binding', cookie.split('=')[1]);
    const ticket = new URL(connectUrl);
    plant('ticket', ticket.searchParams.get('ticket'));
    return { authorizationUrl, ticket: `${ticket.pathname}${ticket.search}`, headers: { cookie } };
  };

  const consent = (authorizationUrl: string): string => {
    const back = new URL(simulator.consent(authorizationUrl));
    plant('code', back.searchParams.get('code'));
    return `${back.pathname}${back.search}`;
  };

  const complete = (attempt: string, status: number) =>
    ask(`${base}/complete`, { method: 'POST', as: member, payload: { attempt }, status });

  const handOut = async (): Promise<void> => {
    const readShown = (text: string) => [/"accessToken":"([^"]+)"/.exec(text)?.[1]];
    const answer = await ask(`${base}/token`, { method: 'POST', as: admin, status: 200, shown: readShown });
    assert.equal(answer.json().accessToken, simulator.issued(provider).accessToken);
  };

  const look = async (): Promise<void> => {
    for (const path of ['integrations/status', 'integrations/providers', 'audit'])
      await ask(`/api/${path}`, { as: admin, status: 200 });
    await ask('/api/debug/db', { headers: { authorization: `Bearer ${SECRETS.DEBUG_TOKEN}` }, status: 200 });
    await ask('/metrics', { headers: { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` }, status: 200 });
  };

  return {
    provider,
    look,
    handOut,
    async connectByTicket() {
      const { ticket } = await begin();
      const readShown = (text: string) => [/[?&]state=([\w.-]+)/.exec(text)?.[1]];
      const redirected = await ask(ticket, { status: 302, shown: readShown });
      const address = String(redirected.headers['location']);
      plant('state', stateIn(address));
      await ask(ticket, { status: 410 });
      const back = consent(address);
      const parked = await ask(back, { status: 202, shown: (text) => [/"attempt":"([^"]+)"/.exec(text)?.[1]] });
      const attempt = plant('attempt', parked.json().attempt);
      await ask(back, { status: 409 });
      await dump(`with a parked code of ${provider}`);
      await complete(attempt, 200);
      plantAsked();
      plantIssued();
      await complete(attempt, 409);
    },
    /** What a browser does: pages and redirects. */
    async connectByBrowser() {
      const first = await begin();
      const lost = consent(first.authorizationUrl);
      const readShown = (text: string) => [/attempt(?:=|%3D)([\w-]{43})/.exec(text)?.[1]];
      const page = await ask(lost, { headers: { accept: 'text/html' }, status: 200, shown: readShown });
      plant('attempt', readShown(page.body)[0]);
      const second = await begin({ returnTo: '/?here=1' });
      const back = consent(second.authorizationUrl);
      await ask(back, { headers: { ...second.headers, accept: 'text/html' }, status: 303 });
      plantAsked();
      plantIssued();
      await ask(back, { headers: { ...second.headers, accept: 'text/html' }, status: 303 });
      await ask(`${back}&code=twice`, { headers: second.headers, status: 400 });
      await ask(back.replace('code=', 'error='), { headers: second.headers, status: 200 });
    },
    /** The code is sent, and the provider echoes all of it. */
    async failToConnect(echo: Echo) {
      const { authorizationUrl, headers } = await begin();
      const back = consent(authorizationUrl);
      setEcho(echo);
      await ask(back, { headers, status: 502 });
      await ask(back, { headers: { ...headers, accept: 'text/html' }, status: 502 });
      setEcho(null);
    },
    async refresh() {
      clock.advance(2 * HOUR_MS);
      const before = simulator.requestsOf(provider, 'refresh').length;
      await ask('/api/integrations/status', { as: member, status: 200 });
      const readShown = (text: string) => [/"accessToken":"([^"]+)"/.exec(text)?.[1]];
      await ask(`${base}/token`, { method: 'POST', as: admin, status: 200, shown: readShown });
      assert.equal(simulator.requestsOf(provider, 'refresh').length, before + 1, simulator.explain(provider));
      plantIssued();
    },
    async failToRefresh(fault: Parameters<typeof simulator.fail>[2] | Echo, status = 503) {
      // Far enough for the longest wait after a failure.
      clock.advance(25 * HOUR_MS);
      if (typeof fault === 'function') setEcho(fault);
      else simulator.fail(provider, 'refresh', fault);
      await ask(`${base}/token`, { method: 'POST', as: admin, status });
      setEcho(null);
      await ask('/api/integrations/status', { as: member, status: 200 });
    },
    /** The token to revoke stays, sealed. The provider stays as it is, for the job that tries again. */
    async failToDisconnect(echo: Echo) {
      setEcho(echo);
      const answer = await ask(`${base}/disconnect`, { method: 'POST', as: member, status: 200 });
      assert.equal(answer.json().revocation, 'failed_will_retry');
      await dump(`with a revocation of ${provider}`);
    },
  };
};

const readJobs = ({ stage }: Stage): Promise<{ name: string; payload: string }[]> =>
  stage.app.database.all('select name, payload from jobs');

/** Lets the first retry of every revocation be due now. */
const hasten = ({ stage }: Stage): Promise<number> =>
  stage.app.database.run("update jobs set run_at = 0 where name = 'revoke-grant'");

onOneEngine('a connection’s secret', (engine) => {
  test('appears in no log line, response, row or job, whatever happens to it', async (t) => {
    const context = await openStage(t, engine);
    const { stage, simulator, canaries, heard, lines, admin, ownClient, ask, dump, setEcho } = context;
    const { clientId, clientSecret } = ownClient;
    const credentials = `/api/integrations/${OWN}/credentials`;
    await ask(credentials, { method: 'PUT', as: admin, payload: { clientId, clientSecret }, status: 200 });
    const wrong = { clientId: 7, clientSecret: [clientSecret] };
    await ask(credentials, { method: 'PUT', as: admin, payload: wrong, status: 400 });

    const stories = [CONTROL, OWN].map((provider) => tellStory(context, provider));
    for (const story of stories) {
      for (const echo of Object.values(ECHOES)) await story.failToConnect(echo);
      await story.connectByTicket();
      await story.handOut();
      await story.refresh();
      await story.failToRefresh('server_error');
      await story.refresh();
      for (const echo of Object.values(ECHOES)) await story.failToRefresh(echo);
      await story.failToRefresh('invalid_client');
      await dump(`with a failure of ${story.provider}`);
      await story.failToRefresh('invalid_grant', 409);
      await story.connectByBrowser();
      await story.look();
      await story.failToDisconnect(ECHOES['a page of an error']);
      setEcho(null);
    }

    const revocations = await stage.app.database.all<{ id: string; token: string }>(
      'select id, token from revocations',
    );
    const jobs = await readJobs(context);
    // For each provider, the grant that a new one replaced, and the one that was revoked.
    assert.equal(revocations.length, 4, 'They wait to be tried again.');
    for (const { id, token } of revocations) {
      assert.ok(
        jobs.some(({ name, payload }) => name === 'revoke-grant' && payload.includes(id)),
        'The search finds what is in a job.',
      );
      assert.notDeepEqual(findCanaries({ token }, heard), [], 'It finds the sealed token in the database.');
    }
    setEcho(ECHOES['a sentence for a code']);
    await hasten(context);
    stage.app.jobs.start();
    await waitUntil('the retries fail', () => lines.filter((line) => line.includes('A job failed.')).length >= 4);
    setEcho(null);
    await dump('after the retries');
    for (const story of stories) await story.look();
    await ask(credentials, { method: 'DELETE', as: admin, status: 204 });

    assert.ok(Object.keys(canaries).length > 80, `There is something to look for: ${Object.keys(canaries).length}`);
    assert.deepEqual(simulator.strays, []);
    const places = { ...heard, log: lines.join(''), jobs: JSON.stringify([jobs, await readJobs(context)]) };
    assert.deepEqual(findCanaries(canaries, places), []);

    const controls = findCanaries({ control: CONTROL }, places);
    assert.ok(controls.includes('control in log'), 'The search finds what is in the log.');
    const kept = engine === 'sqlite' ? /patchbay\.db(-wal)? / : /\bconnections /;
    for (const place of [/answer \d+ \(\/api\/integrations\/status\)/, /answer \d+ \(\/api\/audit\)/, kept])
      assert.ok(
        controls.some((one) => place.test(one)),
        `It finds what is in ${place}.`,
      );
  });

  test('is not shown as an error code if the provider responds with it', async (t) => {
    const context = await openStage(t, engine);
    const { stage, canaries, heard, lines, admin, ownClient, ask, dump } = context;
    const { clientId, clientSecret } = ownClient;
    const credentials = `/api/integrations/${OWN}/credentials`;
    await ask(credentials, { method: 'PUT', as: admin, payload: { clientId, clientSecret }, status: 200 });
    /** A code looks like this, and so do many tokens. */
    const asCode =
      (which: number, status = 400): Echo =>
      (told) => {
        const words = told.match(/[\w-]{24,64}/g) ?? [];
        const error = words[which % words.length] ?? 'nothing_was_told';
        return { status, type: 'application/json', body: JSON.stringify({ error, code: error }) };
      };
    for (const provider of [CONTROL, OWN]) {
      const story = tellStory(context, provider);
      for (const status of [400, 500, 200])
        for (const which of [0, 1, 2]) await story.failToConnect(asCode(which, status));
      await story.connectByTicket();
      for (const status of [400, 500, 200])
        for (const which of [0, 1]) await story.failToRefresh(asCode(which, status));
      await story.failToDisconnect(asCode(0));
      await hasten(context);
    }
    stage.app.jobs.start();
    await waitUntil('both retries fail', () => lines.filter((line) => line.includes('A job failed.')).length >= 2);
    await dump('after the retries');
    assert.deepEqual(findCanaries(canaries, { ...heard, log: lines.join('') }), []);
  });
});
