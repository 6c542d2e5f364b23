import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedRuns, createSingleFlight } from './single-flight.ts';

test('callers of the same thing share one result, until it is there', async () => {
  const flights = createSingleFlight<number>();
  const first = Promise.withResolvers<number>();
  let begun = 0;
  const begin = (): Promise<number> => {
    begun++;
    return first.promise;
  };
  const both = [flights.run('a', begin), flights.run('a', begin)];
  void flights.run('b', () => Promise.resolve(2));
  assert.deepEqual([begun, flights.countCallers('a')], [1, 2]);
  first.resolve(1);
  assert.deepEqual(await Promise.all(both), [1, 1]);
  assert.equal(flights.countCallers('a'), 0);
  assert.equal(await flights.run('a', () => Promise.resolve(3)), 3);
});

test('callers share a failure, and the next one tries again', async () => {
  const flights = createSingleFlight<number>();
  const fail = () => Promise.reject(new Error('away'));
  await Promise.all([assert.rejects(flights.run('a', fail)), assert.rejects(flights.run('a', fail))]);
  assert.equal(await flights.run('a', () => Promise.resolve(1)), 1);
});

test('anyone who comes during a run shares the next one', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const run = createSharedRuns(() => gates[runs++]?.promise ?? Promise.resolve());
  const first = run();
  const [second, third] = [run(), run()];
  assert.equal(second, third);
  assert.equal(runs, 1);
  gates[0]?.reject(new Error('away'));
  await assert.rejects(first);
  gates[1]?.resolve();
  await second;
  assert.equal(runs, 2);
});
