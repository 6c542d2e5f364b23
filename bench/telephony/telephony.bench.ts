import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { LIMITS } from '../../src/http/index.ts';
import { alternatePeers, pick, type Rounds } from '../alternate-peers.ts';
import type { Comparison, Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { startChildServer } from '../child-server.ts';
import type { Answer } from '../http/answer.ts';
import { summarize } from '../summarize.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { createLineLoad, type LineLoad, type LineServer, warmUpLine } from './load-line.ts';
import { timeLine } from './open-loop.ts';
import { signCall } from './signed-calls.ts';

const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);
const BARE = new URL('./bare.child.ts', import.meta.url);
const EXPRESS = new URL('./express.child.ts', import.meta.url);

const OPEN_LOOP_ROUNDS = 3;

const ADDED = /^(?:date|connection|keep-alive)$/i;

const start = async (script: URL, argument: object, { cleanUp }: Tools): Promise<LineServer> =>
  (await startChildServer(script, JSON.stringify(argument), cleanUp)) as LineServer;

/** The parts of our reply to a call, for the bare peer to send. */
const fetchAnswer = async (ours: LineServer): Promise<Answer> => {
  const [head = '', body = ''] = signCall(ours).toString().split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  );
  const asking = request(ours.url, { method: 'POST', headers });
  asking.end(body);
  const [answer] = await once(asking, 'response');
  if (answer.statusCode !== 200) throw new Error(`${ours.url} answers ${answer.statusCode}.`);
  const sent: string[] = [];
  for (let index = 0; index < answer.rawHeaders.length; index += 2)
    if (!ADDED.test(answer.rawHeaders[index])) sent.push(answer.rawHeaders[index], answer.rawHeaders[index + 1]);
  return { status: 200, headers: sent, body: await text(answer), keepAliveMs: LIMITS.keepAliveMs };
};

const AGAINST_BARE = 0.3;
const AGAINST_EXPRESS = 3;
const LATEST_MS = { SQLite: 20, PostgreSQL: 15 } as const;

const compare = (title: string, peer: string, rounds: Rounds<LineLoad>, goal: number): Comparison[] => [
  {
    kind: 'comparison',
    title: `${title}: calls a second`,
    unit: 'a second',
    ours: 'Patchbay',
    peer,
    rounds: pick(rounds, ({ perSecond }) => perSecond),
    goal: { atLeast: goal },
  },
  {
    kind: 'comparison',
    title: `${title}: calls for each second of the server's processor time`,
    unit: 'a processor second',
    ours: 'Patchbay',
    peer,
    rounds: pick(rounds, ({ perProcessorSecond }) => perProcessorSecond),
    goal: null,
  },
];

const measure = async (tools: Tools, { title: engine, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const { cleanUp, signal, note } = tools;
  const ours = await start(PATCHBAY, { directory: makeDirectory(cleanUp), databaseUrl }, tools);
  const bare = await start(BARE, await fetchAnswer(ours), tools);
  const express = await start(EXPRESS, { directory: makeDirectory(cleanUp), databaseUrl }, tools);
  let acknowledged = 1;
  const load = createLineLoad(ours);
  const loadOurs = async (): Promise<LineLoad> => {
    const loaded = await load();
    acknowledged += loaded.acknowledged;
    // Assemble the rest now, so that it doesn't slow down the next peer.
    await ours.ask('stored');
    return loaded;
  };
  const loadPeer = { bare: createLineLoad(bare), express: createLineLoad(express) };
  for (const loadOne of [loadOurs, loadPeer.bare, loadPeer.express]) await warmUpLine(loadOne);
  const plan = { warmUps: 0, rounds: 3, signal };
  const againstBare = await alternatePeers({ ours: loadOurs, peer: loadPeer.bare }, plan);
  const againstExpress = await alternatePeers({ ours: loadOurs, peer: loadPeer.express }, plan);
  const fastest = summarize(againstBare.ours.map(({ perSecond }) => perSecond)).median;
  const timed: Awaited<ReturnType<typeof timeLine>>[] = [];
  for (let round = 0; round < OPEN_LOOP_ROUNDS; round++) timed.push(await timeLine(ours, fastest / 2));
  acknowledged += timed.reduce((sum, round) => sum + round.acknowledged, 0);
  const stored = await ours.ask('stored');
  if (stored !== acknowledged) throw new Error(`${acknowledged} calls were acknowledged, and ${stored} are stored.`);
  note(`${acknowledged} acknowledged calls were looked up: none is missing, none is there twice`);
  const title = `signed voice POST on ${engine}`;
  const openLoop = 'at half of the highest rate, open loop';
  return [
    ...compare(title, 'bare node:http that reads the body', againstBare, AGAINST_BARE),
    ...compare(title, 'Express, twilio.webhook(), one insert each', againstExpress, AGAINST_EXPRESS),
    { kind: 'reading', title: `${title}: p50 ${openLoop}`, unit: 'ms', values: timed.map(({ p50 }) => p50) },
    {
      kind: 'reading',
      title: `${title}: p99 ${openLoop}`,
      unit: 'ms',
      values: timed.map(({ p99 }) => p99),
      goal: { atMost: LATEST_MS[engine] },
    },
  ];
};

export const [telephonySqlite, telephonyPostgresql] = onBothEngines({
  name: 'voice',
  about: 'a signed call, verified, committed with fsync and answered',
  run: measure,
});
