import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseContent } from './parse-content.ts';

const FORM = 'application/x-www-form-urlencoded';

const parse = (body: string | Buffer, type = 'application/json', jsonField?: string) =>
  parseContent(
    { method: 'POST', url: '', query: '', headers: { 'content-type': type }, body: Buffer.from(body) },
    { form: true, ...(jsonField === undefined ? {} : { jsonField }) },
  );
const parsed = (body: string) => parse(body)?.value;

describe('the content of a message', () => {
  test('is JSON if the content type says so, or nothing', () => {
    for (const type of ['text/plain', 'application/jsonp', 'multipart/form-data; boundary=x'])
      assert.equal(parse('{"a":[1]}', type), null, type);
    for (const type of ['application/json', 'application/cloudevents+json; charset=utf-8', ''])
      assert.deepEqual(parse('{"a":[1]}', type), { value: { a: [1] }, isJson: true }, type);
    for (const [text, value] of [
      ['null', null],
      ['[]', []],
      ['7', 7],
      ['"x"', 'x'],
    ] as const)
      assert.deepEqual(parsed(text), value);
  });

  test('is nothing if it is not JSON', () => {
    for (const text of ['', '{', '{}}', "{'a':1}", 'a=1', '\u0000', '<xml/>', 'NaN', '{"a":1,}'])
      assert.equal(parse(text), null, text);
    assert.equal(parse(Buffer.from([0xff, 0xfe, 0x00])), null);
  });

  test('is at most a hundred levels deep', () => {
    const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.ok(parse(nest(100)));
    for (const levels of [102, 10_000, 1_000_000]) assert.equal(parse(nest(levels)), null, String(levels));
    // With a long number, parsing calls a function for each value.
    assert.equal(parse(`${'['.repeat(10_000)}1234567890123456${']'.repeat(10_000)}`), null);
    assert.equal(parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), null);
  });

  test('keeps IDs that are longer than numbers are exact', () => {
    assert.deepEqual(parsed('{"id":9007199254740993,"short":123,"ids":[12345678901234567890]}'), {
      id: '9007199254740993',
      short: 123,
      ids: ['12345678901234567890'],
    });
  });

  test('has the last of several values with the same name, and no prototype', () => {
    assert.deepEqual(parsed('{"team_id":"T1","team_id":"T2"}'), { team_id: 'T2' });
    const value = parsed('{"__proto__":{"team_id":"T1"},"a":1}') as Record<string, unknown>;
    assert.equal(value['team_id'], undefined);
  });

  test('can be a form', () => {
    const fields = { type: 'subscribe', 'data[email]': 'a+b@example.com' };
    const body = 'type=subscribe&data%5Bemail%5D=a%2Bb%40example.com';
    for (const type of [FORM, `${FORM}; charset=utf-8`, FORM.toUpperCase()])
      assert.deepEqual(parse(body, type), { value: fields, isJson: false }, type);
    assert.equal(parse('', FORM), null);
    assert.equal(parse('a=1&'.repeat(1_001), FORM), null, 'Too many fields.');
    assert.deepEqual(parse(body, `${FORM}-not`), null);
  });

  test('can be JSON in a field of a form', () => {
    const body = new URLSearchParams({ payload: '{"type":"block_actions"}', token: 't' }).toString();
    assert.deepEqual(parse(body, FORM, 'payload'), { value: { type: 'block_actions' }, isJson: false });
    assert.deepEqual(parse('command=%2Fdeploy', FORM, 'payload'), { value: { command: '/deploy' }, isJson: false });
    assert.equal(parse('payload=%7B', FORM, 'payload'), null);
  });
});
