import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { FullRecord } from '../../src/integrations/provider.ts';
import { createTestApp, SECRETS, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { type Answer, expectHouseHeaders, expectProblem, toAnswer } from '../harness/problem.ts';
import { type ProviderSimulator, startProviderSimulator } from '../harness/provider-simulator.ts';
import { anyText, valuesAround } from '../harness/schema-values.ts';
import { cookieFrom } from '../harness/sessions.ts';

const RUNS = 200;
/** An operation without any input has only its headers to vary. */
const RUNS_WITHOUT_INPUT = 10;
const LONGEST_MS = 5_000;

const CREDENTIALS: Record<string, string> = {
  accessToken: SECRETS.PATCHBAY_ADMIN_TOKEN,
  cron: SECRETS.CRON_SECRET,
  debug: SECRETS.DEBUG_TOKEN,
  metrics: SECRETS.METRICS_TOKEN,
};

type Sent = {
  path: Record<string, string>;
  query: readonly (readonly [string, string])[];
  headers: Record<string, string>;
  type: string;
  body: string | Buffer | null;
};

/** Parts of a request that is answered well and that chance does not come by, since something has to happen before. */
type Story = () => Promise<Partial<Omit<Sent, 'type'>>>;

const PARTS = ['path', 'query', 'headers', 'body'] as const;
type Parts = readonly (typeof PARTS)[number][];

/** What is taken from the story: nothing, all of it, or parts that do not fit what chance has made of the rest. */
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
    query: parts.includes('query') ? [...(story.query ?? []), ...sent.query] : sent.query,
    headers: { ...sent.headers, ...told.headers },
  };
};

/** What a provider sends back with the browser is not in the document: it differs with the provider. */
const UNDOCUMENTED: Record<string, string[]> = {
  'GET /api/integrations/{provider}/callback': ['state', 'code', 'iss', 'error', 'error_description', 'scope'],
};

/** Answers whoever does not ask for JSON with a page. */
const ANSWERS_PAGES = 'GET /api/integrations/{provider}/callback';

type Known = Record<string, readonly [string, ...string[]]>;

const requestsFor = ({ name, pathParameters, query, body }: Operation, known: Known): fc.Arbitrary<Sent> => {
  const names = [...Object.keys(query), ...(UNDOCUMENTED[name] ?? [])];
  const ids = Object.values(known).flat();
  const value = fc.oneof(fc.constantFrom(...ids), anyText, fc.integer().map(String));
  const json: fc.Arbitrary<Sent['body']> = body
    ? valuesAround(body).map((one) => JSON.stringify(one))
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

const readEntry = (id: string): FullRecord =>
  JSON.parse(readFileSync(new URL(`../../src/integrations/catalogue/${id}.json`, import.meta.url), 'utf8'));

const printQuery = (query: Sent['query']): string =>
  query.length === 0
    ? ''
    : `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;

onEachEngine('any request at all', (engine) => {
  let simulator: ProviderSimulator;
  let stage: TestApp;
  let operations: Operation[];
  let schemas: Record<string, unknown>;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);

  before(async () => {
    simulator = await startProviderSimulator();
    const env = Object.assign(
      { PATCHBAY_RATE_LIMIT: '10000000' },
      ...['zoom', 'google'].map((id) => simulator.add(readEntry(id)).env),
    );
    stage = await createTestApp(engine, { env, outbound: simulator.outbound });
    ({ operations, schemas } = await readOperations(stage.server));
  });

  after(async () => {
    await stage?.close();
    await simulator?.stop();
  });

  const admin = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

  /** Ids that exist, so that some requests get past the first question. */
  const findIds = async (): Promise<Known> => {
    const read = async (url: string, list: string) =>
      (await stage.server.inject({ url, headers: admin })).json<Record<string, { id: string }[]>>()[list] ?? [];
    const members = (await read('/api/members', 'members')).slice(0, 20);
    const tokens = (await read('/api/tokens', 'tokens')).slice(0, 20);
    return {
      id: ['unknown', ...[...members, ...tokens].map(({ id }) => id)],
      // Two that are configured, one of our own, one that needs params and one that is not configured.
      provider: ['zoom', 'google', 'sandbox', 'shopify', 'linear'],
    };
  };

  const path = { provider: 'zoom' };

  const begin = async () => {
    // An earlier request may have given the team a client that the provider does not know.
    await stage.server.inject({ method: 'DELETE', url: '/api/integrations/zoom/credentials', headers: admin });
    const begun = await stage.server.inject({
      method: 'POST',
      url: '/api/integrations/zoom/connect',
      headers: admin,
    });
    const { authorizationUrl, connectUrl } = begun.json<{ authorizationUrl: string; connectUrl: string }>();
    return {
      query: [...new URL(simulator.consent(authorizationUrl)).searchParams],
      ticket: [...new URL(connectUrl).searchParams],
      headers: { cookie: cookieFrom(begun.headers['set-cookie'], 'patchbay_connect') },
    };
  };

  const bringBack = async (cookie: Record<string, string>, query: Sent['query']) =>
    (
      await stage.server.inject({
        url: `/api/integrations/zoom/callback${printQuery(query)}`,
        headers: { accept: 'application/json', ...cookie },
      })
    ).json();

  const connect: Story = async () => {
    const { query, headers } = await begin();
    assert.equal((await bringBack(headers, query)).outcome, 'connected', simulator.explain('zoom'));
    return { path };
  };

  const STORIES: Record<string, Story> = {
    'POST /api/integrations/{provider}/connect': async () => ({ path, body: '{}' }),
    'GET /api/integrations/{provider}/connect': async () => ({ path, query: (await begin()).ticket }),
    'GET /api/integrations/{provider}/callback': async () => {
      const { query, headers } = await begin();
      return { path, query, headers };
    },
    'POST /api/integrations/{provider}/complete': async () => {
      const { attempt } = await bringBack({}, (await begin()).query);
      return { path, body: JSON.stringify({ attempt }) };
    },
    'POST /api/integrations/{provider}/disconnect': connect,
    'POST /api/integrations/{provider}/token': connect,
    'PUT /api/integrations/{provider}/credentials': async () => ({ path, body: '{"clientId":"a"}' }),
  };

  const call = async (operation: Operation, { path: filled, query, headers, type, body }: Sent) => {
    const { method, wants } = operation;
    return toAnswer(
      await stage.server.inject({
        method,
        url: `${fillPath(operation.path, filled)}${printQuery(query)}`,
        headers: {
          ...headers,
          ...(wants ? { authorization: `Bearer ${CREDENTIALS[wants]}` } : {}),
          ...(body !== null && type !== '' ? { 'content-type': type } : {}),
        },
        ...(body !== null && method !== 'GET' ? { payload: body } : {}),
      }),
    );
  };

  /** A page that tells what came of it, or why nothing did. */
  const isPage = ({ name }: Operation, { headers: { accept } }: Sent, { status, headers, body }: Answer): boolean =>
    name === ANSWERS_PAGES &&
    accept !== 'application/json' &&
    status < 500 &&
    headers['content-type'] === 'text/html; charset=utf-8' &&
    body.startsWith('<!doctype html>');

  const expectFit = (compiled: Map<string, ValidateFunction>, { name, answers }: Operation, answer: Answer): void => {
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
      const validate = compiled.get(documented) ?? ajv.compile({ ...schema, components: { schemas } });
      compiled.set(documented, validate);
      assert.ok(validate(JSON.parse(body)), `${what}: ${ajv.errorsText(validate.errors)}`);
    }
  };

  test('is answered as documented, and never fails', async (context) => {
    const names = operations.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(STORIES).filter((name) => !names.includes(name)),
      [],
      'Every story is of an operation.',
    );
    for (const operation of operations) {
      await context.test(operation.name, async () => {
        const compiled = new Map<string, ValidateFunction>();
        const seen = new Set<number>();
        const { body, pathParameters, query } = operation;
        const hasInput = body !== null || pathParameters.length > 0 || Object.keys(query).length > 0;
        const story = STORIES[operation.name] ?? (async () => ({}));
        const requests = requestsFor(operation, await findIds());
        const property = fc.asyncProperty(requests, anyParts, async (generated, parts) => {
          const sent = parts.length > 0 ? mix(generated, await story(), parts) : generated;
          const answer = await call(operation, sent);
          if (isPage(operation, sent, answer)) return expectHouseHeaders(answer, operation.name);
          seen.add(answer.status);
          expectFit(compiled, operation, answer);
        });
        await fc.assert(property, { numRuns: hasInput ? RUNS : RUNS_WITHOUT_INPUT, timeout: LONGEST_MS });
        const well = [...seen].some((status) => status < 300 || (status < 400 && String(status) in operation.answers));
        assert.ok(well, `Some requests are answered well, not only ${[...seen]}.`);
      });
    }
  });
});
