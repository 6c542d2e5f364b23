import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ProviderApi } from '../../catalogue/provider-api.ts';
import { isUnambiguous } from './path-pattern.ts';
import { onlyReads } from './reads.ts';

const ENTRIES = new URL('../../catalogue/entries/', import.meta.url);

type Entry = { id: string; api?: Pick<ProviderApi, 'reads' | 'acts' | 'hosts' | 'verify'> };

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
      assert.equal(
        onlyReads(reads === undefined ? {} : { reads }, { method, host: null, path: '/user' }),
        isRead,
        method,
      );
});

test('where a GET acts, neither case, nor what is before or after, nor an encoding makes it read', () => {
  const known = { acts: ['/graph/snapshot', '/agents/*/launch', '/*:restore'] };
  const reads = (path: string, method = 'GET'): boolean => onlyReads(known, { method, host: null, path });
  for (const path of [
    '/graph/snapshot',
    '/v1/graph/snapshot',
    '/api/v1/Graph/SNAPSHOT',
    '/graph/snapshot/',
    '/graph/snapshot/more',
    '/graph/snapshot.json',
    '/v1/agents/7/launch',
    '/projects/p/datasets/d:restore',
    '/projects/p/datasets/d%3Arestore',
  ])
    for (const method of ['GET', 'HEAD', 'POST']) assert.equal(reads(path, method), false, `${method} ${path}`);
  for (const path of ['/graph', '/graph/snapshots', '/agents/launch', '/agents/7/8/launch', '/d/restore'])
    assert.equal(reads(path), true, path);
});

test('an entry says where a GET acts only if methods say what reads, and its own check reads', () => {
  const withActs = entries.filter(({ api }) => api?.acts);
  assert.ok(withActs.length >= 30, `${withActs.length} entries`);
  for (const { id, api } of withActs) {
    assert.equal(typeof api?.reads, 'undefined', id);
    for (const pattern of api?.acts ?? []) {
      const path = pattern.replaceAll('*', 'a');
      assert.ok(isUnambiguous(path) && !onlyReads(api ?? {}, { method: 'GET', host: null, path }), `${id}: ${path}`);
    }
    const { method = '', path = '' } = api?.verify ?? {};
    const [own = ''] = path.split('?');
    if (method === 'GET' && !own.includes('{')) assert.ok(onlyReads(api ?? {}, { method, host: null, path: own }), id);
  }
});

test('each line of an entry names requests that read, at a host that the entry has', () => {
  assert.ok(withLists.length >= 15, `${withLists.length} entries`);
  for (const { id, reads, hosts } of withLists)
    for (const line of reads) {
      const request = toRequest(line);
      assert.ok(isUnambiguous(request.path) && onlyReads({ reads }, request), `${id}: ${line}`);
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
        assert.equal(
          onlyReads(reads === undefined ? {} : { reads }, { method, host: null, path }),
          false,
          `${id}: ${method} ${path}`,
        );
    for (const line of reads) {
      const request = toRequest(line);
      const others = [
        ...['PUT', 'PATCH', 'DELETE'].map((method) => ({ ...request, method })),
        { ...request, host: 'elsewhere' },
      ];
      // An asterisk at the end stands for any segment, so only other paths differ.
      const paths = ['.delete', '/'].map((added) => ({ ...request, path: `${request.path}${added}` }));
      if (!line.endsWith('*')) others.push(...paths, { ...request, path: request.path.toUpperCase() });
      for (const other of others) assert.ok(!onlyReads({ reads }, other), `${id}: ${other.method} ${other.path}`);
    }
  }
});
