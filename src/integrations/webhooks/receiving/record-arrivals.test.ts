import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../test/harness/app.ts';
import type { NewEvent } from '../../../events/index.ts';
import { recordArrivals } from './record-arrivals.ts';
import { createUnmatchedBudget } from './unmatched-budget.ts';

const TEAMS = 250;
const MOST_AT_ONCE = 100;

const connections = Array.from({ length: TEAMS }, (_, team) => ({
  ...{ id: `connection-${team}`, teamId: `team-${team}`, name: 'default' },
  ...{ accountId: '1', accountLabel: null, provider: 'github', value: '1' },
}));

const item = (repeat: string) => ({
  ...{ type: 'push', id: null, repeat, payload: '{}', withdrawal: null },
  named: { account: ['1'], installation: [], host: [] },
});

test('what happens at an account of many teams is recorded a few events at a time, once for each team', async () => {
  const clock = createTestClock();
  const pieces: NewEvent[][] = [];
  const context = {
    clock,
    unmatched: createUnmatchedBudget({ clock }),
    catalogue: new Map([['github', { record: {} }]]),
    operatorClients: new Map([['github', { id: 'client' }]]),
    record: async (_: unknown, ...events: NewEvent[]) => void pieces.push(events),
  } as never;
  const tx = {
    allFrom: async ({ rows }: { rows: [string, string][] }, text: string) =>
      text.startsWith('insert') ? rows.map(([address, repeat]) => ({ address, repeat })) : connections,
  } as never;
  const [recorded] = await recordArrivals(context, tx, [
    {
      ...{ provider: 'github', address: 'github', teamId: null, receivedAt: 0, verified: 'signature' },
      items: [item('first'), item('second'), item('first')],
    },
  ]);
  assert.equal(recorded?.outcome, 'recorded');
  const counts = Map.groupBy(pieces.flat(), ({ teamId }) => teamId);
  assert.equal(counts.size, TEAMS);
  assert.ok([...counts.values()].every(({ length }) => length === 2));
  assert.ok(pieces.every(({ length }) => length <= MOST_AT_ONCE));
});
