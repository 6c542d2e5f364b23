import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createOutbound, type Outbound } from '../../src/platform/index.ts';
import { expectFailure, secretRequest } from '../harness/test-internet.ts';
import { waitUntil } from '../harness/wait-until.ts';

const A = 1;
const AAAA = 28;

/** The name and type in a DNS query with one question, and where the question ends. */
const readQuestion = (query: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

const FOUND = 0x8180;
const NO_SUCH_NAME = 0x8183;

/** A response with one record, or with none. */
const respond = (query: Buffer, address: readonly number[] | undefined, flags = FOUND): Buffer => {
  const { end, type } = readQuestion(query);
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(address ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = address ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, address.length, ...address] : [];
  return Buffer.concat([head, query.subarray(12, end), Buffer.from(record)]);
};

const LOOPBACK_V6 = [...Array(15).fill(0), 1];

/** Name → its addresses by type. Names that aren't here get no response while the name server is silent. */
const RECORDS: Record<string, Record<number, readonly number[]>> = {
  'four.test': { [A]: [127, 0, 0, 1] },
  'mixed.test': { [A]: [93, 184, 215, 14], [AAAA]: LOOPBACK_V6 },
  'nothing.test': {},
};

describe('a name that anyone may choose', () => {
  const asked: string[] = [];
  let isSilent = true;
  let unanswered: (() => void)[] = [];
  let nameServer: Socket;
  let service: Server;
  let nameServers: string[];
  let outbound: Outbound;
  let url: (host: string) => string;

  before(async () => {
    nameServer = createSocket('udp4');
    nameServer.on('message', (query, from) => {
      const { name, type } = readQuestion(query);
      const records = RECORDS[name];
      const response = records ? respond(query, records[type]) : respond(query, undefined, NO_SUCH_NAME);
      const answer = (): void => nameServer.send(response, from.port, from.address);
      asked.push(name);
      if (records || !isSilent) answer();
      else unanswered.push(answer);
    });
    nameServer.bind(0, '127.0.0.1');
    await once(nameServer, 'listening');
    service = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(service, 'listening');
    nameServers = [`127.0.0.1:${nameServer.address().port}`];
    outbound = createOutbound({ allowPrivate: true, nameServers });
    url = (host) => `http://${host}:${(service.address() as AddressInfo).port}/`;
  });
  beforeEach(() => {
    asked.length = 0;
    isSilent = true;
    unanswered = [];
  });
  after(() => {
    nameServer.close();
    service.close();
  });

  const endSilence = (): void => {
    isSilent = false;
    for (const answer of unanswered) answer();
  };

  test('delays nobody else while its name servers are silent', async () => {
    const threads: string[] = [];
    const hook = createHook({
      init(_id, type) {
        if (type === 'GETADDRINFOREQWRAP') threads.push(type);
      },
    }).enable();
    let ended = 0;
    const stuck = Array.from({ length: 40 }, (_, index) =>
      outbound.request({ ...secretRequest, url: url(`silent-${index}.test`) }).finally(() => ended++),
    );
    const all = Promise.allSettled(stuck);
    const { status } = await outbound.request({ ...secretRequest, url: url('four.test') });
    hook.disable();
    assert.deepEqual([status, ended, threads], [200, 0, []]);
    endSilence();
    for (const result of await all) assert.equal(result.status, 'rejected');
  });

  test('is looked up once for all who ask for it, and a failure is remembered', async () => {
    const requests = Array.from({ length: 40 }, () => outbound.request({ ...secretRequest, url: url('same.test') }));
    // Both types of address.
    await waitUntil('it is looked up', () => asked.length === 2);
    endSilence();
    for (const result of await Promise.allSettled(requests)) assert.equal(result.status, 'rejected');
    await expectFailure(outbound.request({ ...secretRequest, url: url('same.test') }), 'network');
    assert.equal(asked.length, 2);
  });

  test('is looked up again for the next request, in case it has moved', async () => {
    for (const lookups of [2, 4]) {
      await outbound.request({ ...secretRequest, url: url('four.test') });
      assert.equal(asked.length, lookups);
    }
  });

  test('is given up after two tries while its name servers are silent', async () => {
    const impatient = createOutbound({ allowPrivate: true, nameServers, nameServerMs: 50 });
    await expectFailure(impatient.request({ ...secretRequest, url: url('never.test') }), 'network');
    assert.equal(asked.length, 4);
  });

  test('ends a request on time', async () => {
    await expectFailure(outbound.request({ ...secretRequest, url: url('late.test'), timeoutMs: 100 }), 'timeout');
  });

  test('is not reached if its IPv4 or IPv6 addresses include a private one', async () => {
    const guarded = createOutbound({ allowPrivate: false, nameServers });
    for (const host of ['four.test', 'mixed.test', 'localhost', 'some.localhost'])
      await expectFailure(guarded.request({ ...secretRequest, url: `https://${host}/` }), 'refused_address');
    await expectFailure(guarded.request({ ...secretRequest, url: 'https://nothing.test/' }), 'network');
  });
});
