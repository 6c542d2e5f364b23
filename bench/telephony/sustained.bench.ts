import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { startChildServer } from '../child-server.ts';
import { pickSize } from '../pick-size.ts';
import { ADMIN, count, makeSettings, openBeside } from '../service/place.ts';
import { type ServiceLine, setUpLine } from '../service/set-up-line.ts';
import { startService } from '../service/start-service.ts';
import { summarize } from '../summarize.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { type LineServer, sendCalls } from './load-line.ts';
import { isAnyUnprocessed, storeUnprocessed } from './unprocessed-deliveries.ts';
import { timeUntilVisible } from './watch-calls.ts';

const EXPRESS = new URL('./express.child.ts', import.meta.url);
const GOALS = { SQLite: 1.5, PostgreSQL: 1.2 } as const;
const VISIBLE_MS = 2_000;
const LOOK_EVERY_MS = 20;
const ROUNDS = 3;

/** `warmUps`: how many calls each warm-up has. `roundMs`: about how long a round takes. */
const { warmUps, roundMs, backlog, seconds } = pickSize({
  full: { warmUps: [4_000, 12_000], roundMs: 7_000, backlog: 200_000, seconds: 20 },
  small: { warmUps: [500, 1_000], roundMs: 1_500, backlog: 5_000, seconds: 4 },
});
const PER_SECOND = 300;
/** The most calls that an exported file has. */
const MOST_CALLS = 100_000;

const NOT_DONE_MS = 240_000;

/** Waits until every answered call is in the calls table, read over another connection. */
const waitUntilAssembled = async (app: App, stored: number, signal: AbortSignal): Promise<void> => {
  const giveUpAt = performance.now() + NOT_DONE_MS;
  while ((await isAnyUnprocessed(app)) || (await count(app, 'calls')) !== stored) {
    if (performance.now() > giveUpAt) throw new Error(`${await count(app, 'calls')} of ${stored} calls are assembled.`);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
};

/** Counts the calls in the service's export, from `since` on. */
const countShown = async (url: string, since: number): Promise<number> => {
  const query = new URLSearchParams({ since: new Date(since).toISOString() });
  const response = await fetch(`${url}/api/calls?${query}`, { headers: { ...ADMIN, accept: 'text/csv' } });
  if (response.status !== 200) throw new Error(`The list of calls answers ${response.status}.`);
  return (await response.text()).trimEnd().split('\n').length - 1;
};

/** Sends calls, and returns how many per second, from when the first one is sent until the last one is assembled. */
const createSustained = (app: App, line: ServiceLine, signal: AbortSignal) => {
  let stored = 0;
  return async (calls: number): Promise<number> => {
    const { acknowledged, ms } = await sendCalls(line, calls);
    const answeredAt = performance.now();
    stored += acknowledged;
    await waitUntilAssembled(app, stored, signal);
    return (acknowledged * 1_000) / (ms + performance.now() - answeredAt);
  };
};

const measure = async (tools: Tools, { title, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const { cleanUp, signal, note } = tools;
  const settings = await makeSettings(databaseUrl, cleanUp);
  const service = await startService(settings, cleanUp);
  const line = await setUpLine(service);
  const app = openBeside(settings, cleanUp);
  const express = (await startChildServer(
    EXPRESS,
    JSON.stringify({ directory: makeDirectory(cleanUp), databaseUrl }),
    cleanUp,
  )) as LineServer;

  const sendOurs = createSustained(app, line, signal);
  const sendPeer = async (calls: number): Promise<number> => {
    const { acknowledged, ms } = await sendCalls(express, calls);
    return (acknowledged * 1_000) / ms;
  };
  let rate = 0;
  for (const calls of warmUps) {
    rate = await sendOurs(calls);
    await sendPeer(calls);
  }
  const calls = Math.min(MOST_CALLS, Math.ceil((rate * roundMs) / 1_000));
  note(`${calls.toLocaleString('en')} calls a round`);
  let roundBegan = 0;
  const rounds = await alternatePeers(
    {
      ours() {
        roundBegan = Date.now();
        return sendOurs(calls);
      },
      peer: () => sendPeer(calls),
    },
    { warmUps: 0, rounds: ROUNDS, signal },
  );
  const shown = await countShown(service.url, roundBegan);
  if (shown !== calls) throw new Error(`${calls} calls were sent in the last round, and ${shown} are shown.`);
  note(`GET /api/calls shows all ${shown.toLocaleString('en')} calls of the last round`);

  await storeUnprocessed(app, line, backlog);
  const waits = await timeUntilVisible(app, line, { perSecond: PER_SECOND, seconds, signal });
  const { median, most } = summarize(waits);
  const meanwhile = `while ${PER_SECOND} calls a second come in and ${backlog.toLocaleString('en')} deliveries wait`;
  return [
    {
      kind: 'comparison',
      title: `calls sent, answered and assembled on ${title}`,
      unit: 'a second',
      ours: 'Patchbay',
      peer: 'Express, twilio.webhook(), one insert each',
      rounds,
      goal: { atLeast: GOALS[title] },
    },
    {
      kind: 'reading',
      title: `from a call's answer until it is shown, ${meanwhile}: median`,
      unit: 'ms',
      values: [median],
    },
    {
      kind: 'reading',
      title: 'the same: the longest',
      unit: 'ms',
      values: [most],
      goal: { atMost: VISIBLE_MS },
    },
  ];
};

export const [sustainedSqlite, sustainedPostgresql] = onBothEngines({
  name: 'sustained',
  about: 'calls sent, answered and assembled, and how soon a call shows up',
  longestMs: 900_000,
  run: measure,
});
