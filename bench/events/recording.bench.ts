import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { alternatePeers } from '../alternate-peers.ts';
import type { Comparison, Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { pickSize } from '../pick-size.ts';
import { type LineServer, sendCalls } from '../telephony/load-line.ts';
import { makeDirectory } from '../temporary-directory.ts';

const VOICE = new URL('../telephony/patchbay.child.ts', import.meta.url);
const CONNECT = new URL('./connect.child.ts', import.meta.url);
const PROVIDER = new URL('./provider.child.ts', import.meta.url);
const RECORD_NOTHING = new URL('./record-nothing.preload.ts', import.meta.url);

const CALLS = pickSize({ full: 5_000, small: 500 });
const CONNECTS = pickSize({ full: 500, small: 50 });
const AT_ONCE = 10;
const PLAN = { warmUps: 2, rounds: 7 };
/** With events, a request may take at most a tenth more processor time. */
const GOAL = 0.91;

const sendConnect = async ({ url, headers }: ChildServer, connection: string): Promise<void> => {
  const send = async (path: string, init: RequestInit = { headers: { accept: 'application/json' } }) => {
    const response = await fetch(`${url}/${path}`, init);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return (await response.json()) as { authorizationUrl?: string; attempt?: string };
  };
  const post = (path: string, body: object) =>
    send(path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { authorizationUrl = '' } = await post('connect', { connection });
  const state = new URL(authorizationUrl).searchParams.get('state') ?? '';
  const { attempt } = await send(`callback?${new URLSearchParams({ code: 'code', state })}`);
  await post('complete', { attempt });
};

/** Connects accounts over and over: `AT_ONCE` connections of the team at the same time. */
const sendConnects = async (server: ChildServer): Promise<void> => {
  const connectAll = async (_: unknown, index: number): Promise<void> => {
    for (let count = 0; count < CONNECTS / AT_ONCE; count++) await sendConnect(server, `account-${index}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectAll));
  await server.ask('settled');
};

const sendVoice = async (server: ChildServer): Promise<void> => {
  await sendCalls(server as LineServer, CALLS);
  await server.ask('stored');
};

/** Creates a database for one service. */
const createDatabase = async (serverUrl: string): Promise<string> => {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return new URL(`/${name}`, serverUrl).href;
};

type Cause = { title: string; script: URL; count: number; provider?: string; send(server: ChildServer): Promise<void> };

/**
 * Compares the service with and without events, by the processor time that it uses from the first request until
 * everything is stored.
 */
const compare = async (
  { cleanUp, signal }: Tools,
  { title: engine, databaseUrl }: EngineChoice,
  { title, script, count, provider, send }: Cause,
): Promise<Comparison> => {
  const start = async (preloads: readonly URL[]): Promise<ChildServer> => {
    const ownUrl = databaseUrl && (await createDatabase(databaseUrl));
    const argument = { directory: makeDirectory(cleanUp), databaseUrl: ownUrl, provider };
    return startChildServer(script, JSON.stringify(argument), cleanUp, preloads);
  };
  const measure = async (server: ChildServer): Promise<number> => {
    const before = await server.processorMs();
    await send(server);
    return ((await server.processorMs()) - before) / count;
  };
  const recording = await start([]);
  const silent = await start([RECORD_NOTHING]);
  const perSecond = async (server: ChildServer): Promise<number> => 1_000 / (await measure(server));
  const peers = { ours: () => perSecond(recording), peer: () => perSecond(silent) };
  const rounds = await alternatePeers(peers, { ...PLAN, signal });
  await Promise.all([recording.end(), silent.end()]);
  return {
    ...{ kind: 'comparison', title: `${title} for each second of processor time, ${engine}`, unit: 'a second', rounds },
    ...{ ours: 'with their events', peer: 'the same without events', goal: { atLeast: GOAL } },
  };
};

export const [recordingSqlite, recordingPostgresql] = onBothEngines({
  name: 'recording',
  about: 'what events add to their causes',
  async run(tools, engine): Promise<Result[]> {
    const { url: provider } = await startChildServer(PROVIDER, '', tools.cleanUp);
    const voice = { title: 'voice POSTs and their calls', script: VOICE, count: CALLS, send: sendVoice };
    const connects = { title: 'connects', script: CONNECT, count: CONNECTS, provider, send: sendConnects };
    return [await compare(tools, engine, voice), await compare(tools, engine, connects)];
  },
});
