import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ProviderApi } from '../../catalogue/provider-api.ts';
import { isUnambiguous } from './path-pattern.ts';
import { onlyReads } from './reads.ts';

const ENTRIES = new URL('../../catalogue/entries/', import.meta.url);

type Entry = { id: string; api?: Pick<ProviderApi, 'reads' | 'hosts'> };

const entries = readdirSync(ENTRIES).map((name): Entry => JSON.parse(readFileSync(new URL(name, ENTRIES), 'utf8')));
const withLists = entries.flatMap(({ id, api }) =>
  typeof api?.reads === 'object' ? [{ id, reads: api.reads, hosts: api.hosts ?? {} }] : [],
);

/** What a line names, with a segment for each asterisk. */
const toRequest = (line: string) => {
  const [method = '', ...rest] = line.split(' ');
  const path = (rest.at(-1) ?? '').replaceAll('**', 'a/b').replaceAll('*', 'a');
  return { method, host: rest.length > 1 ? (rest[0] ?? null) : null, path };
};

test('without a list, GET and HEAD read', () => {
  for (const reads of [undefined, 'methods'] as const)
    for (const [method, isRead] of [
      ['GET', true],
      ['HEAD', true],
      ['POST', false],
      ['DELETE', false],
    ] as const)
      assert.equal(onlyReads(reads, { method, host: null, path: '/user' }), isRead, method);
});

test('each line of an entry names requests that read, at a host that the entry has', () => {
  assert.ok(withLists.length >= 15, `${withLists.length} entries`);
  for (const { id, reads, hosts } of withLists)
    for (const line of reads) {
      const request = toRequest(line);
      assert.ok(isUnambiguous(request.path) && onlyReads(reads, request), `${id}: ${line}`);
      if (request.host !== null) assert.ok(Object.hasOwn(hosts, request.host), `${id}: ${line}`);
    }
});

test('a write that is disguised as a request that reads is none, at any entry with a list', () => {
  for (const { id, reads } of withLists) {
    const writes = [
      '/chat.postMessage',
      '/files/delete_v2',
      '/graphql',
      '/v2',
      '/',
      '/sms/json',
      '/candidate.create',
      '/posts/delete',
    ];
    for (const path of writes)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
        assert.equal(onlyReads(reads, { method, host: null, path }), false, `${id}: ${method} ${path}`);
    for (const line of reads) {
      const request = toRequest(line);
      const others = [
        ...['PUT', 'PATCH', 'DELETE'].map((method) => ({ ...request, method })),
        { ...request, host: 'elsewhere' },
      ];
      // An asterisk at the end stands for any segment, so only other paths differ.
      const paths = ['.delete', '/'].map((added) => ({ ...request, path: `${request.path}${added}` }));
      if (!line.endsWith('*')) others.push(...paths, { ...request, path: request.path.toUpperCase() });
      for (const other of others) assert.ok(!onlyReads(reads, other), `${id}: ${other.method} ${other.path}`);
    }
  }
});
