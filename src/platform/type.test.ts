import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './type.ts';

/** Uses each of our builders as the product does. */
const examples = (type: typeof Type) => {
  const Address = type.Object(
    { street: type.String(), number: type.Optional(type.Integer({ minimum: 1 })) },
    { additionalProperties: false, description: 'Where' },
  );
  return {
    Array: type.Array(Address, { maxItems: 3 }),
    Boolean: type.Boolean(),
    Enum: type.Enum(['admin', 'member'], { description: 'May do' }),
    Integer: type.Integer({ minimum: 0 }),
    Literal: [type.Literal('a'), type.Literal(1), type.Literal(true, { description: 'Yes' })],
    Null: type.Null(),
    Number: type.Number({ exclusiveMinimum: 0 }),
    Object: [type.Object({}), Address, type.Object({ only: type.Optional(Address) })],
    Optional: type.Object({ a: type.Optional(type.Union([type.String(), type.Null()])), b: type.Unknown() }),
    Partial: [type.Partial(Address), type.Partial(Address, { additionalProperties: false })],
    Pick: [type.Pick(Address, ['street']), type.Pick(Address, ['number'], { additionalProperties: false })],
    Record: [
      type.Record(type.String(), type.String()),
      type.Record(type.String({ pattern: '^[a-z]+$' }), type.Unknown(), { additionalProperties: false }),
    ],
    String: type.String({ minLength: 1, format: 'email' }),
    Union: type.Union([type.Literal('a'), type.Null()], { default: null }),
    Unknown: type.Unknown({ description: 'Anything' }),
  };
};

test('the schemas are the same as TypeBox makes, byte for byte', () => {
  const [ours, theirs] = [examples(Type), examples(TypeBox)];
  for (const name of Object.keys(Type) as (keyof typeof Type)[])
    assert.equal(JSON.stringify(ours[name]), JSON.stringify(theirs[name]), name);
});

test('a schema that is optional in one place is not optional in another', () => {
  const name = Type.String();
  assert.deepEqual({ ...Type.Object({ name: Type.Optional(name) }) }.required, undefined);
  assert.deepEqual(Type.Object({ name }).required, ['name']);
});
