import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { createTestApp, SECRETS, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { type Answer, expectHouseHeaders, expectProblem, toAnswer } from '../harness/problem.ts';
import { anyText, valuesAround } from '../harness/schema-values.ts';

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
  type: string;
  body: string | Buffer | null;
};

const requestsFor = ({ pathParameters, query, body }: Operation, ids: readonly string[]): fc.Arbitrary<Sent> => {
  const names = Object.keys(query);
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
      Object.fromEntries(pathParameters.map((name) => [name, fc.oneof(fc.constantFrom(...ids), anyText)])),
    ),
    query: fc.oneof({ weight: 3, arbitrary: none }, pairs),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant('application/json') }, fc.constantFrom('text/plain', 'a/b', '')),
    body: fc.oneof({ weight: 9, arbitrary: json }, bytes, text),
  });
};

const printQuery = (query: Sent['query']): string =>
  query.length === 0
    ? ''
    : `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;

onEachEngine('any request at all', (engine) => {
  let stage: TestApp;
  let operations: Operation[];
  let schemas: Record<string, unknown>;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);

  before(async () => {
    stage = await createTestApp(engine, { env: { PATCHBAY_RATE_LIMIT: '10000000' } });
    ({ operations, schemas } = await readOperations(stage.server));
  });

  after(() => stage.close());

  /** Ids that exist, so that some requests get past the first question. */
  const findIds = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    const read = async (url: string, list: string) =>
      (await stage.server.inject({ url, headers })).json<Record<string, { id: string }[]>>()[list] ?? [];
    const members = (await read('/api/members', 'members')).slice(0, 20);
    const tokens = (await read('/api/tokens', 'tokens')).slice(0, 20);
    return ['unknown', ...[...members, ...tokens].map(({ id }) => id)];
  };

  const call = async ({ method, path, wants }: Operation, { path: filled, query, type, body }: Sent) =>
    toAnswer(
      await stage.server.inject({
        method,
        url: `${fillPath(path, filled)}${printQuery(query)}`,
        headers: {
          ...(wants ? { authorization: `Bearer ${CREDENTIALS[wants]}` } : {}),
          ...(body !== null && type !== '' ? { 'content-type': type } : {}),
        },
        ...(body !== null && method !== 'GET' ? { payload: body } : {}),
      }),
    );

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
    for (const operation of operations) {
      await context.test(operation.name, async () => {
        const compiled = new Map<string, ValidateFunction>();
        const seen = new Set<number>();
        const { body, pathParameters, query } = operation;
        const hasInput = body !== null || pathParameters.length > 0 || Object.keys(query).length > 0;
        const property = fc.asyncProperty(requestsFor(operation, await findIds()), async (sent) => {
          const answer = await call(operation, sent);
          seen.add(answer.status);
          expectFit(compiled, operation, answer);
        });
        await fc.assert(property, { numRuns: hasInput ? RUNS : RUNS_WITHOUT_INPUT, timeout: LONGEST_MS });
        const well = [...seen].some((status) => status < 300);
        assert.ok(well, `Some requests are answered well, not only ${[...seen]}.`);
      });
    }
  });
});
