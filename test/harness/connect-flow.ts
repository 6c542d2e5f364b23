import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import type { Engine, Outbound } from '../../src/platform/index.ts';
import { createTestApp, createTestClock } from './app.ts';
import { expectProblem, type Problem, toAnswer } from './problem.ts';
import { writeProviderFile } from './provider-file.ts';
import type { ConsentOptions } from './provider-simulator/give-consent.ts';
import type { ProviderOptions } from './provider-simulator/simulated-provider.ts';
import { startProviderSimulator } from './provider-simulator.ts';

const CATALOGUE = new URL('../../src/integrations/catalogue/entries/', import.meta.url);

/** A built-in entry, without its evidence. */
export const readRecord = (id: string): FullRecord => {
  const { evidence: _, ...record } = JSON.parse(readFileSync(new URL(`${id}.json`, CATALOGUE), 'utf8'));
  return record;
};

/** The cookies that a browser keeps from a response. */
export const cookiesOf = (setCookie: string | string[] | number | undefined): string =>
  [setCookie ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ');

export const JSON_ONLY = { accept: 'application/json' } as const;
export const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } as const;

type Headers = Record<string, string>;

export type ConnectStageOptions = {
  /** Of the catalogue. */
  providers?: Readonly<Record<string, ProviderOptions>>;
  /** The operator's own, as in the file of `PATCHBAY_PROVIDERS`. */
  custom?: readonly FullRecord[];
  env?: Headers;
  /** Where the clock begins. */
  startAt?: number;
  /** Instead of reaching the simulator. */
  outbound?: Outbound;
};

/** A flow that was started, and its browser's cookie. */
export type Begun = { provider: string; authorizationUrl: string; connectUrl: string; state: string; cookie: string };

/** The application, a clock, and every requested provider: everything from connect to callback. */
export const startConnectStage = async (
  engine: Engine,
  { providers = { github: {} }, custom = [], env = {}, outbound, startAt }: ConnectStageOptions = {},
) => {
  const clock = createTestClock(startAt);
  const simulator = await startProviderSimulator({ now: clock.now });
  const base = env['PATCHBAY_URL'] ?? 'http://localhost:3000';
  const redirectTo = (id: string) => ({ redirectUri: `${base}/api/integrations/${id}/callback` });
  const added = [
    ...Object.entries(providers).map(([id, options]) =>
      simulator.add(readRecord(id), { ...redirectTo(id), ...options }),
    ),
    ...custom.map((record) => simulator.add(record, redirectTo(record.id))),
  ];
  const file = writeProviderFile(custom);
  const settings: Headers = Object.assign(
    { PATCHBAY_RATE_LIMIT: '1000000', PATCHBAY_PROVIDERS: file.path },
    ...added.map((one) => one.env),
    env,
  );
  const { forwarder } = simulator;
  const stage = await createTestApp(engine, {
    env: settings,
    clock,
    outbound: outbound ?? simulator.outbound,
    forwarder,
  });
  const { server } = stage;

  const post = (path: string, headers: Headers, payload: object = {}) =>
    server.inject({ method: 'POST', url: `/api/integrations/${path}`, headers, payload });

  const stateOf = (authorizationUrl: string): string => new URL(authorizationUrl).searchParams.get('state') ?? '';

  return {
    stage,
    simulator,
    clock,
    /** The settings that the application was made with. */
    settings,
    post,
    get: (url: string, headers: Headers = {}) => server.inject({ url, headers }),
    /** Requests the provider's address, as an app does for its user's browser. */
    async begin(person: { headers: Headers }, provider = 'github', payload: object = {}, headers: Headers = {}) {
      const answer = await post(`${provider}/connect`, { ...person.headers, ...headers }, payload);
      assert.equal(answer.statusCode, 200, answer.body);
      const { authorizationUrl, connectUrl } = answer.json();
      const cookie = cookiesOf(answer.headers['set-cookie']);
      return { provider, authorizationUrl, connectUrl, state: stateOf(authorizationUrl), cookie } satisfies Begun;
    },
    stateOf,
    /** The person allows it at the provider. Returns the path that the browser is sent back to. */
    consent(authorizationUrl: string, options: ConsentOptions = {}): string {
      const { pathname, search } = new URL(simulator.consent(authorizationUrl, options));
      return `${pathname}${search}`;
    },
    /** A browser or a program arrives at the callback. */
    arrive: (path: string, headers: Headers = {}) =>
      server.inject({ url: path, headers: { ...JSON_ONLY, ...headers } }),
    complete: (person: { headers: Headers }, attempt: string, provider = 'github') =>
      post(`${provider}/complete`, person.headers, { attempt }),
    /** How many token requests were sent, including those that didn't arrive anywhere. */
    exchanges: (): number => simulator.requests.filter(({ kind }) => kind === 'token').length + simulator.strays.length,
    async statusOf(person: { headers: Headers }, provider = 'github') {
      clock.advance(1_000);
      const answer = await server.inject({ url: '/api/integrations/status', headers: person.headers });
      assert.equal(answer.statusCode, 200, answer.body);
      const { integrations } = answer.json<{
        integrations: { provider: string; status: string; account: unknown }[];
      }>();
      return integrations.find((one) => one.provider === provider)?.status ?? 'disconnected';
    },
    async close(): Promise<void> {
      await stage.close();
      await simulator.stop();
      file.remove();
    },
  };
};

export type ConnectStage = Awaited<ReturnType<typeof startConnectStage>>;
export type Team = Awaited<ReturnType<ConnectStage['stage']['createTeam']>>;

type Injected = Awaited<ReturnType<ConnectStage['get']>>;

/** Checks the response of a callback that exchanged nothing. Returns the attempt. */
export const expectParked = (answer: Injected, provider = 'github'): string => {
  assert.equal(answer.statusCode, 202, answer.body);
  const { attempt, ...rest } = answer.json();
  assert.deepEqual(rest, { provider, outcome: 'confirm' });
  assert.match(attempt, /^[\w-]{43}$/);
  return attempt;
};

export const expectConnected = (answer: Injected, provider = 'github'): void => {
  assert.equal(answer.statusCode, 200, answer.body);
  const body = answer.json();
  assert.deepEqual({ provider: body.provider, outcome: body.outcome }, { provider, outcome: 'connected' });
};

export const expectRefused = (answer: Injected, status: number, code: string, what = code): Problem => {
  const problem = expectProblem(toAnswer(answer), status, what);
  assert.equal(problem.code, code, what);
  return problem;
};

/** The same address with these params changed, or removed if null. */
export const withParams = (path: string, changes: Readonly<Record<string, string | null>>): string => {
  const url = new URL(path, 'http://localhost');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return `${url.pathname}${url.search}`;
};
