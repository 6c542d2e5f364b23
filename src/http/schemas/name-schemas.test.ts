import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameSchemas } from './name-schemas.ts';

const call = (id: string) => ({ title: 'Call', type: 'object', properties: { id: { type: id } } });
const $ref = '#/components/schemas/Call';

test('a schema with a title is in one place, and the others refer to it', () => {
  const named = nameSchemas({ info: { title: 'Calls' }, list: { items: call('string') }, one: call('string') });
  const { title: _, ...schema } = call('string');
  assert.deepEqual(named, {
    ...{ info: { title: 'Calls' }, list: { items: { $ref } }, one: { $ref } },
    components: { schemas: { Call: schema } },
  });
});

test('a property that is called title is not taken for a name', () => {
  const { one } = nameSchemas({ one: { type: 'object', properties: { type: { const: 'a' }, title: { const: 'b' } } } });
  assert.deepEqual(one, { type: 'object', properties: { type: { const: 'a' }, title: { const: 'b' } } });
});

test('two different schemas cannot have the same name', () => {
  const refusal = /Two different schemas are named Call/;
  assert.throws(() => nameSchemas({ one: call('string'), other: call('integer') }), refusal);
  assert.throws(() => nameSchemas({ one: call('string'), components: { schemas: { Call: {} } } }), refusal);
});
