import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createDiscovery } from '../../src/integrations/requests/discovery.ts';
import { createOutbound, JOBS, OWN, systemClock, workFor } from '../../src/platform/index.ts';
import type { RecordingStorage } from '../../src/telephony/contract/recording-storage.ts';
import { createTestLog } from '../harness/app.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const AT_ONCE = { perOwner: 4, inTotal: 6 };
const MANY = 50;

const CONFIGURATION = '/.well-known/openid-configuration';

/** A host that answers only what isn't sent to /silent. */
const startHalfSilentHost = async () => {
  const held = new Set<ServerResponse>();
  const server = createServer(({ url, headers }, response) => {
    if (url === CONFIGURATION) {
      const issuer = `http://${headers.host}`;
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer, ...endpoints }));
    }
    if (url !== '/silent') return response.end('here');
    response.once('close', () => held.delete(response));
    return held.add(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    at: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    answer() {
      for (const response of held) response.end('late');
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

describe('requests to a host that does not respond', () => {
  const host = useStage(startHalfSilentHost);
  const createGuard = () => createOutbound({ allowPrivate: true, atOnce: AT_ONCE });

  const send = (outbound: ReturnType<typeof createGuard>, owner: string, path: string, timeoutMs = 60_000) =>
    workFor(owner, () => outbound.request({ url: `${host.at}${path}`, timeoutMs, mostBytes: 1_000 }));

  const answerUntil = async (
    silent: readonly Promise<unknown>[],
    look: () => void = () => undefined,
  ): Promise<void> => {
    let isOver = false;
    const all = Promise.all(silent).finally(() => {
      isOver = true;
    });
    await waitUntil('all are answered', () => {
      look();
      host.answer();
      return isOver;
    });
    await all;
  };

  test('are few at a time for one owner, and delay nobody else', async () => {
    const outbound = createGuard();
    const silent = Array.from({ length: MANY }, () => send(outbound, 'greedy', '/silent'));
    await waitUntil('as many are open as may be', () => host.held.size === AT_ONCE.perOwner);
    for (const owner of ['other', JOBS, OWN, 'strangers'])
      assert.equal((await send(outbound, owner, '/')).body.toString(), 'here', owner);
    assert.equal(host.held.size, AT_ONCE.perOwner);
    let most = 0;
    await answerUntil(silent, () => {
      most = Math.max(most, host.held.size);
    });
    assert.ok(most <= AT_ONCE.perOwner, `${most} at once`);
  });

  test('are limited in total, but never hold up the service itself', async () => {
    const outbound = createGuard();
    const silent = ['one', 'two', 'three'].flatMap((owner) =>
      Array.from({ length: AT_ONCE.perOwner }, () => send(outbound, owner, '/silent')),
    );
    await waitUntil('as many are open as may be', () => host.held.size === AT_ONCE.inTotal);
    for (const owner of [JOBS, OWN]) assert.equal((await send(outbound, owner, '/')).status, 200);
    assert.equal(host.held.size, AT_ONCE.inTotal);
    await answerUntil(silent);
  });

  test('wait no longer than they may take, are never sent then, and leave their slot to others', async () => {
    const outbound = createGuard();
    const silent = Array.from({ length: AT_ONCE.perOwner }, () => send(outbound, 'greedy', '/silent'));
    await waitUntil('as many are open as may be', () => host.held.size === AT_ONCE.perOwner);
    await assert.rejects(send(outbound, 'greedy', '/', 50), { name: 'OutboundFailed', reason: 'timeout', sent: false });
    host.answer();
    await Promise.all(silent);
    for (let count = 0; count < 2 * AT_ONCE.inTotal; count++) await send(outbound, 'greedy', '/');
  });

  test('leave the slots of all owners to others, too, once they no longer wait for one', async () => {
    const outbound = createGuard();
    const open = (owner: string, path: string, timeoutMs?: number) =>
      Array.from({ length: AT_ONCE.perOwner }, () => send(outbound, owner, path, timeoutMs));
    const silent = [...open('one', '/silent'), ...open('two', '/silent')];
    await waitUntil('as many are open as may be', () => host.held.size === AT_ONCE.inTotal);
    const late = [...open('three', '/', 50), ...open('four', '/', 50)];
    for (const outcome of await Promise.allSettled(late)) assert.equal(outcome.status, 'rejected');
    await answerUntil(silent);
    for (let count = 0; count < 2 * AT_ONCE.inTotal; count++) await send(outbound, 'five', '/', 10_000);
  });

  /** Takes all slots of an owner. Returns how to give them back. */
  const useUp = async (outbound: ReturnType<typeof createGuard>, owner: string) => {
    const silent = Array.from({ length: AT_ONCE.perOwner }, () => send(outbound, owner, '/silent'));
    await waitUntil('as many are open as may be', () => host.held.size === AT_ONCE.perOwner);
    return async () => {
      host.answer();
      await Promise.all(silent);
    };
  };

  test('do not delay what all teams share, even if their owner is the first to need it', async () => {
    const outbound = createGuard();
    const giveBack = await useUp(outbound, 'greedy');
    const discover = createDiscovery({ outbound, clock: systemClock, log: createTestLog().log });
    const provider = { record: { id: 'shared', name: 'Shared', issuer: host.at, scopes: [] }, custom: true };
    const { record } = await workFor('greedy', () => discover(provider));
    assert.equal(record.token.url, `${host.at}/token`);
    await giveBack();
  });

  test('do not delay downloads of recordings from a bucket', async () => {
    const outbound = createGuard();
    const storage: RecordingStorage = {
      put: async () => undefined,
      open: async () => (await outbound.open({ url: `${host.at}/`, timeoutMs: 60_000, mostBytes: 1_000 })).body,
      remove: async () => undefined,
      forgetTeam: async () => undefined,
    };
    const stage = await createRecordingsStage('sqlite', { storage });
    const { id: teamId } = stage.team;
    const id = await stage.addRecording(await stage.addAccount(undefined, { teamId }), {}, teamId);
    await stage.database.run(
      `update recordings set state = 'archived', content_type = 'audio/mpeg', bytes = 4, sha256 = 'digest', sealed = 0,
        archived_at = created_at where team_id = $1 and id = $2`,
      [teamId, id],
    );
    const server = await stage.serve();
    const giveBack = await useUp(outbound, teamId);
    const headers = await stage.headersOf(stage.team);
    const { body } = await server.inject({ url: `/api/recordings/${id}/audio`, headers });
    assert.equal(body, 'here');
    await giveBack();
    await stage.close();
  });
});
