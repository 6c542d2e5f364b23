import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyRecord } from '../catalogue/key-record.ts';
import { expandKeyCredential } from './key-credential.ts';

const record = (kind: 'api_key' | 'basic', credential?: KeyRecord['api']['credential']): KeyRecord => ({
  ...{ id: 'a', name: 'A', kind, docs: 'https://a.example', fields: {} },
  api: { url: 'https://a.example', ...(credential && { credential }) },
});
const encode = (text: string): string => Buffer.from(text).toString('base64');

test('a key is a bearer token, and a pair is Basic, unless the entry says otherwise', () => {
  assert.deepEqual(expandKeyCredential(record('api_key'), { api_key: 'k' }).headers, [['authorization', 'Bearer k']]);
  const pair = { username: 'ada', password: 'a:b' };
  assert.deepEqual(expandKeyCredential(record('basic'), pair).headers, [
    ['authorization', `Basic ${encode('ada:a:b')}`],
  ]);
});

test('a key can be a user name without a password, a header as it is, or a field of the query', () => {
  const alone = record('api_key', { header: 'Authorization', format: 'Basic {api_key}:' });
  assert.deepEqual(expandKeyCredential(alone, { api_key: 'k' }).headers, [['Authorization', `Basic ${encode('k:')}`]]);
  const plain = record('api_key', { header: 'X-Key', format: '{api_key}' });
  assert.deepEqual(expandKeyCredential(plain, { api_key: 'Basic k' }).headers, [['X-Key', 'Basic k']]);
  const query = { name: 'key', value: 'k' };
  assert.deepEqual(expandKeyCredential(record('api_key', { query: 'key' }), { api_key: 'k' }), { headers: [], query });
});

test('placeholders in what was entered stay as they are', () => {
  const [[, sent = ''] = []] = expandKeyCredential(record('basic'), {
    username: '{password}',
    password: '$& {x}',
  }).headers;
  assert.equal(sent, `Basic ${encode('{password}:$& {x}')}`);
});
