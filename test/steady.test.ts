// Tests wait for conditions and move clocks: a sleep is too short on a busy machine, and too long on every other.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** What waits for real time, measures it, or needs a port that may be taken. */
const UNSTEADY: Record<string, RegExp> = {
  'a timer': /(?<!['\w])set(?:Timeout|Interval)(?:\(| as )|\bscheduler\.wait\(|\bAtomics\.wait\(/,
  'a deadline': /\bAbortSignal\.timeout\(/,
  'a measured time': /\bperformance\.now\(\)/,
  'a fixed port': /\.listen\(\s*[1-9]/,
};

/** The only files that may, by the reason why they have to. */
const EXCEPTIONS: Record<string, readonly string[]> = {
  'the tools of all others': ['start-stopwatch', 'stand-still', 'wait-until'].map((name) => `test/harness/${name}.ts`),
  'somebody on the other side who is slow, drips, or floods': [
    'src/http/connections/end-slow-readers.test.ts',
    'src/platform/outbound/outbound-deadline.test.ts',
    'test/attacks/event-receivers.test.ts',
    'test/attacks/silent-mail-server.test.ts',
    'test/faults/floods.test.ts',
    'test/faults/slow-clients.test.ts',
    'test/harness/flood.thread.ts',
    'test/harness/oauth-server/faults.ts',
    'test/harness/provider-simulator/faults.ts',
  ],
  'whether the event loop turns, which only its timers show': [
    'src/platform/database/database.test.ts',
    'src/platform/database/migrate-beside.test.ts',
    'src/platform/database/sqlite/fair-turns.test.ts',
  ],
  'that something comes no earlier, or that much takes no longer than little: a busy machine changes neither': [
    'src/http/connections/limit-connections.test.ts',
    'src/jobs/jobs.contract.test.ts',
    'test/attacks/unread-responses.test.ts',
    'test/attacks/waiting-jobs.test.ts',
  ],
  'the longest that a response may take over a real connection': [
    'test/faults/database-away.test.ts',
    'test/harness/raw-http.ts',
    'test/harness/telephony-serve.ts',
  ],
  'the system: a process that stays, and memory that is given back after a while': [
    'src/platform/files/lock-directory.test.ts',
    'test/harness/quiet-memory.child.ts',
  ],
};

const mayBeUnsteady = new Set(Object.values(EXCEPTIONS).flat());

// A real browser has its own time.
const files = globSync(['{src,packages}/**/*.test.ts', 'test/**/*.ts'], {
  exclude: ['**/node_modules/**', 'test/browser/**', 'test/steady.test.ts'],
}).sort();

const unsteady = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const found = Object.keys(UNSTEADY).filter((what) => UNSTEADY[what]?.test(text));
  return found.length > 0 ? [{ file, found }] : [];
});

test('no test waits for real time if it could wait for a condition or move a clock', () => {
  const wrong = unsteady.filter(({ file }) => !mayBeUnsteady.has(file));
  assert.deepEqual(
    wrong.map(({ file, found }) => `${file}: ${found.join(', ')}`),
    [],
  );
});

test('every exception is still needed', () => {
  const needed = new Set(unsteady.map(({ file }) => file));
  assert.deepEqual([...mayBeUnsteady.difference(needed)], []);
});

test('every suite declares its tests at once: later, they would no longer be its own', () => {
  const late = /\b(?:describe|onEachEngine|onOneEngine)\([^\n]*\basync \(/;
  assert.deepEqual(
    files.filter((file) => late.test(readFileSync(file, 'utf8'))),
    [],
  );
});
