import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomSecret } from '../../src/platform/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { type Asked, ask } from '../agents/ask.ts';
import type { Bound, Reading, Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { doAtPace, quantile } from '../telephony/open-loop.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { CONNECTIONS, MEASURED_MS, ROUNDS, TEAMS } from './containment-size.ts';
import { keyOf, PROVIDERS } from './fill-connections.ts';
import type { Memory, Start } from './patchbay.child.ts';

const API = new URL('../proxy/api.child.ts', import.meta.url);
const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);

/** Of the bystander: half of them ask for the status, and half go through the proxy. */
const PER_SECOND = 100;
const SAMPLES = 20;
const HOUR_MS = 3_600_000;
const FILLED_WITHIN_MS = 300_000;
const CONTAINED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 5;
const CONTAINMENTS = '/api/operator/containments';

type Answer = { status: number; body: Record<string, unknown> };

const waitUntil = async (isSo: () => Promise<boolean>, everyMs: number): Promise<number> => {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > FILLED_WITHIN_MS) throw new Error('That takes too long.');
    await sleep(everyMs);
  }
  return performance.now() - begun;
};

/** The service on one engine, and what is measured about it. On PostgreSQL, a second process has the same database. */
const openStage = async ({ cleanUp }: Tools, { databaseUrl }: EngineChoice) => {
  const api = await startChildServer(API, '', cleanUp);
  const operatorToken = randomSecret();
  const common = {
    databaseUrl,
    api: api.url,
    keys: extendKeyRing(undefined),
    operatorToken,
    teams: TEAMS,
    connections: CONNECTIONS,
  };
  const start = (): Promise<ChildServer> => {
    const place: Start = { ...common, directory: makeDirectory(cleanUp) };
    return startChildServer(PATCHBAY, JSON.stringify(place), cleanUp);
  };
  const service = await start();
  const token = await service.askFor<string>('fill', FILLED_WITHIN_MS);
  const second = databaseUrl === null ? service : await start();
  for (const one of new Set([service, second])) await one.ask('start');

  const agent = new Agent({ keepAlive: true });
  cleanUp.defer(() => agent.destroy());
  const own = { authorization: `Bearer ${token}` };
  const asked = ['status', 'acme/proxy/small'].map(
    (path): Asked => ({ url: `${service.url}/api/integrations/${path}`, headers: own, agent }),
  );

  const operator = async (method: string, path: string, body?: object, headers = {}): Promise<Answer> => {
    const response = await fetch(path, {
      method,
      headers: {
        ...{ authorization: `Bearer ${operatorToken}`, ...headers },
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };

  /** Uses connections of several teams, which are different ones in each round and the last to be revoked. */
  const useSamples = (round: number): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: SAMPLES }, (_, sample) => {
        const name = CONNECTIONS / TEAMS - 1 - round;
        const provider = PROVIDERS[name % PROVIDERS.length];
        const url = `${second.url}/api/integrations/${provider}/proxy/small?connection=c${name}`;
        return operator('GET', url, undefined, { 'patchbay-team': keyOf(TEAMS - 1 - sample) });
      }),
    );

  return {
    service,
    useSamples,

    /** How long the requests of the bystander took until `signal` is aborted, in milliseconds. Open loop. */
    async timeBystander(signal: AbortSignal): Promise<number[]> {
      let next = 0;
      return doAtPace(PER_SECOND, { count: Number.POSITIVE_INFINITY, signal }, async (dueAt) => {
        const one = asked[next++ % asked.length];
        if (one) await ask(one);
        return performance.now() - dueAt;
      });
    },

    /** Contains everything but the bystander's connection. */
    async contain(): Promise<string> {
      const connectedBefore = new Date(Date.now() - HOUR_MS).toISOString();
      const wish = { reason: 'The benchmark measures it.', connectedBefore, revoke: true };
      const { status, body } = await operator('POST', `${service.url}${CONTAINMENTS}`, wish);
      if (status !== 201) throw new Error(`The containment was refused: ${JSON.stringify(body)}`);
      return String(body['id']);
    },

    async isListed(id: string): Promise<boolean> {
      const { body } = await operator('GET', `${service.url}${CONTAINMENTS}/${id}?limit=1`);
      return body['listing'] === false;
    },

    async lift(id: string): Promise<void> {
      await operator('DELETE', `${service.url}${CONTAINMENTS}/${id}`);
      await waitUntil(async () => (await service.ask('underWay')) === 0, 500);
    },

    memory: () => service.askFor<Memory>('memory'),
  };
};

type Stage = Awaited<ReturnType<typeof openStage>>;

const isStopped = ({ status, body }: Answer): boolean => status === 409 && body['code'] === 'integrations.contained';

/** Contains everything, and says how long it took until it held, and until all of it was in the ledger. */
const timeContainment = async (stage: Stage, round: number) => {
  const before = await stage.useSamples(round);
  if (!before.every(({ status }) => status === 200)) throw new Error(`Before: ${JSON.stringify(before[0])}`);
  const id = await stage.contain();
  const begun = performance.now();
  while (!(await stage.useSamples(round)).every(isStopped)) {
    if (performance.now() - begun > CONTAINED_WITHIN_MS) throw new Error('It is used after it was contained.');
    await sleep(LOOK_EVERY_MS);
  }
  const heldMs = performance.now() - begun;
  await waitUntil(() => stage.isListed(id), 100);
  return { id, heldMs, listedMs: performance.now() - begun };
};

type Round = {
  quiet: number[];
  busy: number[];
  heldMs: number;
  listedMs: number;
  taken: number;
  memory: Memory;
};

/** Measures the bystander without a containment and with one, which is lifted in the end. */
const measureRound = async (stage: Stage, round: number): Promise<Round> => {
  const { service } = stage;
  const quiet = await stage.timeBystander(AbortSignal.timeout(MEASURED_MS));
  const takenBefore = await service.ask('taken');
  const listedBefore = await service.ask('ledger');
  const over = new AbortController();
  const timing = stage.timeBystander(over.signal);
  const [contained] = await Promise.all([timeContainment(stage, round), sleep(MEASURED_MS)]);
  over.abort();
  const busy = await timing;
  const { id, ...times } = contained;
  await stage.lift(id);
  const listed = (await service.ask('ledger')) - listedBefore;
  if (listed !== CONNECTIONS) throw new Error(`${listed} connections are in the ledger.`);
  const taken = (await service.ask('taken')) - takenBefore;
  if (taken === 0) throw new Error('Nothing was revoked.');
  return { quiet, busy, taken, memory: await stage.memory(), ...times };
};

const run = async (tools: Tools, engine: EngineChoice): Promise<Result[]> => {
  const begun = performance.now();
  const stage = await openStage(tools, engine);
  tools.note(`filled in ${Math.round((performance.now() - begun) / 1_000)} s`);
  await stage.timeBystander(AbortSignal.timeout(MEASURED_MS));
  const before = await stage.memory();
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    tools.signal.throwIfAborted();
    const measured = await measureRound(stage, round);
    rounds.push(measured);
    const { taken, quiet, busy, memory } = measured;
    tools.note(
      `${taken} grants were revoked beside ${busy.length} requests (the longest took ${quantile(busy, 1).toFixed(0)} ms, without a containment ${quantile(quiet, 1).toFixed(0)} ms); resident memory is ${memory.resident.toFixed(0)} MB, and was ${before.resident.toFixed(0)} MB`,
    );
  }
  const reading = (title: string, unit: string, values: number[], goal?: Bound): Reading => ({
    ...{ kind: 'reading', title: `${title}, on ${engine.title}`, unit, values },
    ...(goal && { goal }),
  });
  const of = (part: number, which: 'quiet' | 'busy'): number[] => rounds.map((round) => quantile(round[which], part));
  const added = rounds.map(({ quiet, busy }) => quantile(busy, 0.99) - quantile(quiet, 0.99));
  const last = rounds.at(-1)?.memory ?? before;
  return [
    reading(
      'from the response until another process refuses',
      'ms',
      rounds.map(({ heldMs }) => heldMs),
      { atMost: 1_000 },
    ),
    reading(
      'from the response until the ledger is complete',
      's',
      rounds.map(({ listedMs }) => listedMs / 1_000),
    ),
    reading("a bystander's p50 without a containment", 'ms', of(0.5, 'quiet')),
    reading('the same during one', 'ms', of(0.5, 'busy')),
    reading("a bystander's p99 without a containment", 'ms', of(0.99, 'quiet')),
    reading('the same during one', 'ms', of(0.99, 'busy')),
    reading("what it adds to the bystander's p99", 'ms', added, { atMost: 20 }),
    reading('memory in use that is left afterward', 'MB', [last.used - before.used], { atMost: 10 }),
    reading('resident memory that is left afterward', 'MB', [last.resident - before.resident]),
  ];
};

export const [containmentSqlite, containmentPostgresql] = onBothEngines({
  name: 'containment',
  about: 'stopping 100,000 connections and revoking their grants, and what another team notices of it',
  longestMs: 900_000,
  run,
});
