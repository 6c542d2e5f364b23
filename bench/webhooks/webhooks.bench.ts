import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabaseAt, databaseUrl } from '../../test/harness/databases.ts';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { openConnection } from '../telephony/connection.ts';
import { createLineLoad, createLoad, type LineLoad, type LineServer, warmUpLine } from '../telephony/load-line.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { signWebhooks } from './signed-webhooks.ts';

const RECEIVER = new URL('../events/receiver.child.ts', import.meta.url);
const OURS = new URL('./webhooks.child.ts', import.meta.url);
const LINE = new URL('../telephony/patchbay.child.ts', import.meta.url);

const ACCOUNTS = 1_000;
const TIMED = 1_000;
const EVERY_MS = 10;
const WITHIN_MS = 30_000;
/** Nobody has connected these accounts. */
const NOBODYS = 1_000_000;
const UNMATCHED = 100_000;

/** Sends messages one after another, at a steady rate, and returns how long each took to reach the product's server. */
const timeEvents = async (ours: ChildServer, receiver: ChildServer): Promise<number[]> => {
  const connection = await openConnection(ours.url);
  try {
    for (let sent = 0; sent < TIMED; sent++) {
      const due = performance.now() + EVERY_MS;
      const [request] = signWebhooks(ours.url, 1, { account: sent % ACCOUNTS, type: 'timed' });
      if (request) await connection.exchange(request);
      await sleep(Math.max(0, due - performance.now()));
    }
  } finally {
    connection.close();
  }
  const until = performance.now() + WITHIN_MS;
  while ((await receiver.ask('count')) < TIMED) {
    if (performance.now() > until) throw new Error('Not all events have arrived.');
    await sleep(EVERY_MS);
  }
  return (await receiver.askFor<number[]>('take')).sort((one, other) => one - other);
};

/** A database of its own for the other server, where the engine has several. */
const createOther = async (url: string | null): Promise<string | null> => {
  if (url === null) return null;
  await createDatabaseAt(url, 'line');
  return databaseUrl(url, 'line');
};

const measure = async (tools: Tools, { title: engine, databaseUrl: here }: EngineChoice): Promise<Result[]> => {
  const { cleanUp, signal, note } = tools;
  const receiver = await startChildServer(RECEIVER, '', cleanUp);
  const place = { directory: makeDirectory(cleanUp), databaseUrl: here, receiver: receiver.url, accounts: ACCOUNTS };
  const ours = await startChildServer(OURS, JSON.stringify(place), cleanUp);
  const line = (await startChildServer(
    LINE,
    JSON.stringify({ directory: makeDirectory(cleanUp), databaseUrl: await createOther(here) }),
    cleanUp,
  )) as LineServer;
  let acknowledged = 0;
  const load = createLoad(ours, (count) => signWebhooks(ours.url, count, { account: 0, type: 'push' }));
  const loadOurs = async (): Promise<LineLoad> => {
    const loaded = await load();
    acknowledged += loaded.acknowledged;
    return loaded;
  };
  const loadCalls = createLineLoad(line);
  const loadLine = async (): Promise<LineLoad> => {
    const loaded = await loadCalls();
    // Assemble the rest now, so that it doesn't slow down the other peer.
    await line.ask('stored');
    return loaded;
  };
  for (const one of [loadOurs, loadLine]) await warmUpLine(one);
  const rounds = await alternatePeers({ ours: loadOurs, peer: loadLine }, { warmUps: 0, rounds: 3, signal });
  const recorded = await ours.ask('recorded');
  if (recorded !== acknowledged) throw new Error(`${acknowledged} were acknowledged, and ${recorded} are events.`);
  note(`${acknowledged} acknowledged webhooks were looked up: each is an event, once`);
  const delays = await timeEvents(ours, receiver);

  const loadNobodys = createLoad(ours, (count) => signWebhooks(ours.url, count, { account: NOBODYS, type: 'push' }));
  let nobodys = 0;
  while (nobodys < UNMATCHED) nobodys += (await loadNobodys()).acknowledged;
  const afterwards: LineLoad[] = [];
  for (let round = 0; round < 3; round++) afterwards.push(await loadOurs());
  const before = pick(rounds, ({ perSecond }) => perSecond);
  const title = `providers' webhooks on ${engine}`;
  return [
    {
      kind: 'comparison',
      title: `${title}: events a second`,
      unit: 'a second',
      ours: 'webhooks',
      peer: 'signed voice calls',
      rounds: before,
      goal: { atLeast: 0.8 },
    },
    {
      kind: 'comparison',
      title: `${title}: events for each second of processor time`,
      unit: 'a processor second',
      ours: 'webhooks',
      peer: 'signed voice calls',
      rounds: pick(rounds, ({ perProcessorSecond }) => perProcessorSecond),
      goal: null,
    },
    {
      kind: 'comparison',
      title: `${title}: the same after ${nobodys} that are nobody's`,
      unit: 'a second',
      ours: 'after them',
      peer: 'before them',
      rounds: { ...before, ours: afterwards.map(({ perSecond }) => perSecond), peer: before.ours },
      goal: { atLeast: 0.8 },
    },
    {
      kind: 'reading',
      title: `${title}: half of them reach the product's server within`,
      unit: 'ms',
      values: [delays[Math.floor(delays.length / 2)] ?? Number.POSITIVE_INFINITY],
      goal: { atMost: 50 },
    },
  ];
};

export const [webhooksSqlite, webhooksPostgresql] = onBothEngines({
  name: 'webhooks',
  about: "a provider's webhook, verified, and recorded as the event of a team",
  run: measure,
});
