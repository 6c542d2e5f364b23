import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EVENT_TYPES } from '../../src/events/log/event.ts';
import { createTestApp } from '../harness/app.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { fillPath } from '../harness/operations.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

type Parameter = { in?: string; name?: string; required?: boolean; schema?: { default?: unknown }; $ref?: string };
type Described = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean };
};
type Operation = Described & { name: string; method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string };
type Document = {
  info: { contact?: object; license?: object };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: Described & { requestBody: { content: object } } }>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, { type?: string }> };
};

/** The samples of `data` in docs/events.md, by the heading above them. */
const readSamples = (): Map<string, unknown> => {
  const sections = readFileSync('docs/events.md', 'utf8').split(/^## /m);
  return new Map(
    sections.flatMap((section) => {
      const sample = /```json\n(.*?)```/s.exec(section)?.[1];
      return sample === undefined ? [] : [[section.split('\n')[0] ?? '', JSON.parse(sample)]];
    }),
  );
};

/** Whether this is the schema of an object with more than three properties. */
const isLargeObject = (value: unknown): boolean => {
  const { type, properties } = Object(value) as { type?: unknown; properties?: object };
  return type === 'object' && Object.keys(properties ?? {}).length > 3;
};

const findAll = <Found>(value: unknown, find: (value: object) => Found[]): Found[] =>
  typeof value === 'object' && value !== null
    ? [...find(value), ...Object.values(value).flatMap((inner) => findAll(inner, find))]
    : [];

/** Each schema of an object with more than three properties, as JSON. */
const findObjects = (value: unknown): string[] =>
  findAll(value, (one) => (isLargeObject(one) ? [JSON.stringify(one)] : []));

const findArrays = (value: unknown): { items: unknown }[] =>
  findAll(value, (one) => ('items' in one && 'type' in one && one.type === 'array' ? [one] : []));

describe('the description of the API', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  const document = prepare(async () => (await stage.server.inject('/openapi.json')).json<Document>());

  const list = (): Operation[] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => {
        const upper = method.toUpperCase() as Operation['method'];
        return { ...described, name: `${upper} ${path}`, method: upper, path };
      }),
    );

  const takes = ({ security }: Operation, scheme: string): boolean => security.some((one) => scheme in one);

  test('has a name, words, a tag, and a success for everything that can be called or received', () => {
    const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({ ...post, name }));
    const all = [...list(), ...webhooks];
    const ids = all.map(({ operationId }) => operationId ?? '');
    assert.deepEqual(
      ids.filter((id, index) => !/^[a-z][A-Za-z0-9]*$/.test(id) || ids.indexOf(id) !== index),
      [],
    );
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { name, summary, description, tags: own = [], responses } of all) {
      assert.ok(summary && description, name);
      assert.ok(own.length === 1 && tags.has(own[0] ?? ''), `${name}: ${own}`);
      assert.ok(
        Object.keys(responses).some((status) => /^2(?:XX|\d\d)$/.test(status)),
        `${name} never succeeds`,
      );
    }
    const used = new Set(all.flatMap(({ tags: own = [] }) => own));
    assert.deepEqual(
      document.tags.filter(({ name, description }) => !description || !used.has(name)),
      [],
    );
    const { contact, license } = document.info;
    assert.ok(contact && license);
  });

  test('describes every event as endpoints receive it', () => {
    const sent = EVENT_TYPES.filter((type) => type !== 'provider.unmatched');
    assert.deepEqual(Object.keys(document.webhooks), sent);
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema({ $id: 'document', components: document.components });
    const samples = readSamples();
    const frame = {
      ...{ id: 'evt_1', timestamp: '2026-11-15T12:00:00.000Z', sequence: 1, team: { id: 't', key: null } },
    };
    for (const [heading, type] of [
      ['Connections', 'connection.needs_reconnect'],
      ['Calls', 'call.missed'],
      ['Recordings', 'recording.ready'],
      ['Reports', 'report.ready'],
      ['Approvals', 'approval.requested'],
      ['Approvals', 'approval.decided'],
      ['Connected accounts', 'provider.event'],
    ] as const) {
      const { content } = document.webhooks[type]?.post.requestBody ?? assert.fail(type);
      const { $ref } = (content as Record<string, { schema: { $ref: string } }>)['application/json']?.schema ?? {};
      const fits = ajv.getSchema(`document${$ref}`) ?? assert.fail(type);
      const data = samples.get(heading) as Record<string, unknown>;
      assert.ok(fits({ ...frame, type, data }), `${type}: ${JSON.stringify(fits.errors)}`);
      const { url: _, ...without } = data;
      assert.equal(fits({ ...frame, type, data: without }), false, 'The schema says something.');
      assert.ok(fits({ ...frame, type, data: { url: data['url'], truncated: true } }));
    }
  });

  test('names each larger schema that is in several places', () => {
    const ref = { $ref: '#/components/schemas/Call' };
    const content = { 'application/json': { schema: ref } };
    assert.partialDeepStrictEqual(document.paths['/api/calls/{id}/returned']?.['post']?.responses['200'], { content });
    const { schemas } = document.components;
    assert.equal(schemas['Call']?.type, 'object');
    assert.deepEqual(
      Object.keys(schemas).filter((name) => name in globalThis),
      [],
      'A type of that name would hide the one that every program has, such as Event.',
    );

    const all = findObjects(document);
    assert.ok(all.length > 30, 'It looks into everything.');
    assert.deepEqual(
      all.filter((one, at) => all.indexOf(one) !== at),
      [],
    );
  });

  test('names each larger schema that is in a list or is a whole response', () => {
    const lists = findArrays(document).map(({ items }) => items);
    const responses = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) =>
        Object.values(operation.responses).map((one) => one.content?.['application/json']?.schema),
      ),
    );
    assert.ok(lists.length > 50 && responses.length > 100, 'It looks into everything.');
    assert.deepEqual([...lists, ...responses].filter(isLargeObject), []);
  });

  test('requires no query parameter that has a default', () => {
    const parameters = list().flatMap(({ name, parameters: all = [] }) => all.map((one) => ({ ...one, of: name })));
    const withDefault = parameters.filter((one) => one.schema?.default !== undefined);
    assert.ok(withDefault.length >= 8, 'Lists have a limit.');
    assert.deepEqual(
      withDefault.filter(({ required }) => required).map(({ of, name }) => `${of}: ${name}`),
      [],
    );
  });

  test('requires no body that can be left out, and those can be', async () => {
    await putCustomer(stage, 'acme');
    const optional = list().filter(({ requestBody }) => requestBody?.required === false);
    assert.deepEqual(optional.map(({ name }) => name).sort(), [
      'POST /api/approvals/{id}/approve',
      'POST /api/approvals/{id}/refuse',
      'POST /api/integrations/{provider}/connect',
      'POST /api/integrations/{provider}/disconnect',
      'POST /api/integrations/{provider}/people/calls/{id}/retry',
      'POST /api/integrations/{provider}/token',
      'PUT /api/operator/teams/{key}/users/{userKey}',
    ]);
    const { headers } = asCustomer('acme');
    const { 'patchbay-team': _, ...alone } = headers;
    for (const operation of optional) {
      const { name, method } = operation;
      const url = fillPath(operation.path, { provider: 'sandbox', key: 'acme', userKey: 'u-1', id: 'unknown' });
      const own = takes(operation, 'accessToken') ? headers : alone;
      for (const type of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain;charset=UTF-8' }]) {
        const answer = await stage.server.inject({ method, url, headers: { ...own, ...type } });
        const expected = /\/approvals\/|\/retry$/.test(name) ? [404] : [200, 201, 409];
        assert.ok(expected.includes(answer.statusCode), `${name}: ${answer.body}`);
      }
    }
  });

  test('says where the operator token works, and which headers it needs there', async () => {
    const ours = Object.entries(document.components.parameters).filter(([name]) => name.startsWith('Patchbay'));
    const parameters = Object.fromEntries(ours);
    assert.deepEqual(
      Object.values(parameters).map(({ name, in: place, required }) => [name, place, required]),
      [
        ['Patchbay-Team', 'header', false],
        ['Patchbay-User', 'header', false],
      ],
    );
    const refs = Object.keys(parameters).map((name) => `#/components/parameters/${name}`);
    for (const operation of list()) {
      const acts = takes(operation, 'accessToken');
      assert.equal(takes(operation, 'operator'), acts || operation.path.startsWith('/api/operator/'), operation.name);
      const named = (operation.parameters ?? []).flatMap(({ $ref }) => $ref ?? []);
      assert.deepEqual(named, acts ? refs : [], operation.name);
    }
    // What callbacks and plain links do without a credential is no secret of theirs.
    const open = list().filter(({ security }) => security.some((one) => Object.keys(one).length === 0));
    assert.deepEqual(
      open.map(({ name }) => name),
      ['GET /api/integrations/{provider}/connect', 'GET /api/integrations/{provider}/callback'],
    );
  });
});
