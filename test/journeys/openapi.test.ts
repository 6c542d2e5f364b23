import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { fillPath } from '../harness/operations.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

type Parameter = { in?: string; name?: string; required?: boolean; schema?: { default?: unknown }; $ref?: string };
type Described = {
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean };
};
type Operation = Described & { name: string; method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string };
type Document = {
  paths: Record<string, Record<string, Described>>;
  components: { parameters: Record<string, Parameter> };
};

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
      'POST /api/integrations/{provider}/connect',
      'POST /api/integrations/{provider}/disconnect',
      'POST /api/integrations/{provider}/token',
      'PUT /api/operator/teams/{key}/users/{userKey}',
    ]);
    const { headers } = asCustomer('acme');
    const { 'patchbay-team': _, ...alone } = headers;
    for (const operation of optional) {
      const { name, method } = operation;
      const url = fillPath(operation.path, { provider: 'sandbox', key: 'acme', userKey: 'u-1' });
      const own = takes(operation, 'accessToken') ? headers : alone;
      for (const type of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain;charset=UTF-8' }]) {
        const answer = await stage.server.inject({ method, url, headers: { ...own, ...type } });
        assert.ok([200, 201, 409].includes(answer.statusCode), `${name}: ${answer.body}`);
      }
    }
  });

  test('says where the operator token works, and which headers it needs there', async () => {
    const { parameters } = document.components;
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
