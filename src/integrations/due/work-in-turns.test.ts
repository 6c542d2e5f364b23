import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectionKey } from '../connections/connection.ts';
import { workInTurns } from './work-in-turns.ts';

const PAGE = 60;

const keysOf = (provider: string, teamId: string, count: number): ConnectionKey[] =>
  Array.from({ length: count }, (_, index) => ({ provider, teamId, name: `${teamId}-${index}` }));

/** Works on these connections until no more are begun, and lets each take its time. */
const openWork = (due: ConnectionKey[]) => {
  const seen = { begun: [] as string[], atOnce: 0, ofTeam: 0, ofProvider: 0, looks: 0 };
  const busy = new Set<ConnectionKey>();
  const most = (those: (key: ConnectionKey) => string): number =>
    Math.max(...[...Map.groupBy(busy, those).values()].map(({ length }) => length));
  const run = workInTurns({
    listProviders: async () => [...new Set(due.map(({ provider }) => provider))],
    async listDue(provider, limit) {
      seen.looks++;
      return due.filter((key) => key.provider === provider).slice(0, limit);
    },
    async work(key) {
      busy.add(key);
      seen.begun.push(key.name);
      seen.atOnce = Math.max(seen.atOnce, busy.size);
      seen.ofTeam = Math.max(
        seen.ofTeam,
        most(({ teamId }) => teamId),
      );
      seen.ofProvider = Math.max(
        seen.ofProvider,
        most(({ provider }) => provider),
      );
      await new Promise(setImmediate);
      busy.delete(key);
    },
  });
  return { seen, run };
};

describe('connections that are due', () => {
  test('are worked on once in a run, although they are still due', async () => {
    const due = ['acme', 'beta'].flatMap((provider) => keysOf(provider, `team of ${provider}`, 2 * PAGE + 5));
    const { seen, run } = openWork(due);
    await run;
    assert.deepEqual(seen.begun.toSorted(), due.map(({ name }) => name).toSorted());
  });

  test('are a few at a time: in total, of a provider, and of a team', async () => {
    const providers = ['acme', 'beta', 'gamma', 'delta'];
    const manyTeams = providers.flatMap((provider) =>
      Array.from({ length: 20 }, (_, team) => keysOf(provider, `${provider} ${team}`, 1)).flat(),
    );
    const wide = openWork(manyTeams);
    await wide.run;
    assert.deepEqual([wide.seen.begun.length, wide.seen.atOnce, wide.seen.ofProvider], [80, 8, 3]);
    const narrow = openWork(providers.flatMap((provider) => keysOf(provider, 'team', 5)));
    await narrow.run;
    assert.deepEqual([narrow.seen.begun.length, narrow.seen.ofTeam], [20, 2]);
  });

  test('of a team that fills many pages do not hide those of another', async () => {
    const first = Array.from({ length: 2 }, (_, team) => keysOf('acme', `early ${team}`, 1)).flat();
    const { seen, run } = openWork([...first, ...keysOf('acme', 'greedy', 10 * PAGE), ...keysOf('acme', 'modest', 1)]);
    await run;
    const place = seen.begun.indexOf('modest-0');
    assert.ok(place >= 0 && place <= 2 + 6, `It was number ${place + 1}.`);
    assert.equal(seen.begun.length, 10 * PAGE + 3);
  });

  test('are looked up by one for all who wait for the same provider', async () => {
    const { seen, run } = openWork(keysOf('acme', 'team', 1));
    await run;
    assert.ok(seen.looks <= 2, `${seen.looks} looks`);
  });

  test('of a provider that does not respond hold up nobody else', async () => {
    const due = [...keysOf('silent', 'patient', 10), ...keysOf('silent', 'calm', 10), ...keysOf('quick', 'other', 10)];
    const silence = Promise.withResolvers<void>();
    const done: string[] = [];
    const quick = Promise.withResolvers<void>();
    const run = workInTurns({
      listProviders: async () => ['silent', 'quick'],
      listDue: async (provider, limit) => due.filter((key) => key.provider === provider).slice(0, limit),
      async work({ provider, name }) {
        if (provider === 'silent') await silence.promise;
        done.push(name);
        if (done.length === 10) quick.resolve();
      },
    });
    await quick.promise;
    assert.ok(done.every((name) => name.startsWith('other')));
    silence.resolve();
    await run;
    assert.equal(done.length, due.length);
  });
});
