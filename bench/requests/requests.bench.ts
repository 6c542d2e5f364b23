import { limitRequests } from '../../src/integrations/request-log/limit-requests.ts';
import { deleteGroupsBefore } from '../../src/integrations/request-log/request-group-store.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Table, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { ratioOf, summarize } from '../summarize.ts';
import { FEW, MANY, OF_A_TEAM, PLAN, PRUNED } from './request-size.ts';
import {
  addRequests,
  openRequestStore,
  RARE_CONNECTION,
  RARE_TOKEN,
  type RequestStore,
  timeOf,
} from './request-store.ts';

const MOST_TIMES_AS_LONG = 1.3;

const of = (query: Record<string, string>): string => `/api/integrations/requests?${new URLSearchParams(query)}`;

const LISTS: Readonly<Record<string, string>> = {
  'the newest': of({}),
  'the newest 100': of({ limit: '100' }),
  'of a day in the middle': of({ until: new Date(timeOf(OF_A_TEAM / 2)).toISOString() }),
  failed: of({ failed: '1' }),
  'of a token with 3': of({ token: RARE_TOKEN }),
  'of a token with none': of({ token: timeOf(0).toString(16).padStart(32, '0') }),
  'of a connection with 3': of({ provider: 'acme', connection: RARE_CONNECTION }),
  'of a connection name with 3, at any provider': of({ connection: RARE_CONNECTION }),
  'of a provider with none': of({ provider: 'github' }),
};

const OLDEST_KEPT = timeOf(OF_A_TEAM - 1);

/** Adds requests that are older than all others, and times how long it takes to delete them. */
const timePruning = async (
  { app, shown }: RequestStore,
  deleteOldest: (store: RequestStore['app'], teamId: string) => Promise<unknown>,
): Promise<number> => {
  await addRequests(app, shown, OF_A_TEAM, OF_A_TEAM + PRUNED);
  const begun = performance.now();
  await deleteOldest(app, shown.teamId);
  return performance.now() - begun;
};

type Measured = { name: string; measure(store: RequestStore): Promise<number> };

const PRUNINGS: readonly Measured[] = [
  {
    name: `the limit of a team, ${PRUNED} too many`,
    measure: (store) =>
      timePruning(store, ({ database }, teamId) =>
        limitRequests(database, teamId, new Map([[store.shown.userId, PRUNED]])),
      ),
  },
  {
    name: `the time limit, ${PRUNED} too old`,
    measure: (store) => timePruning(store, ({ database }) => deleteGroupsBefore(database, OLDEST_KEPT)),
  },
];

const listed = ([name, path]: [string, string]): Measured => ({
  name,
  measure: (store) => store.measure(path, PLAN.asked),
});

const run = async ({ signal, ...tools }: Tools, engine: EngineChoice): Promise<Table[]> => {
  const few = await openRequestStore({ ...tools, signal }, engine, FEW);
  const many = await openRequestStore({ ...tools, signal }, engine, MANY);
  for (const [name, path] of Object.entries(LISTS)) {
    const [here, there] = [await many.count(path), await few.count(path)];
    if (here !== there) throw new Error(`${name}: ${here} requests are listed, and ${there} with ${FEW}.`);
  }
  const rows: Table['rows'][number][] = [];
  for (const { name, measure } of [...Object.entries(LISTS).map(listed), ...PRUNINGS]) {
    const peers = { ours: () => measure(many), peer: () => measure(few) };
    const rounds = await alternatePeers(peers, { ...PLAN, signal });
    rows.push({ name, values: [summarize(rounds.ours).median, summarize(rounds.peer).median, ratioOf(rounds)] });
  }
  const columns = [{ name: `${MANY}, ms` }, { name: `${FEW}, ms` }, { name: 'ratio', atMost: MOST_TIMES_AS_LONG }];
  return [{ kind: 'table', title: `requests of a full team on ${engine.title}`, columns, rows }];
};

export const [requestsSqlite, requestsPostgresql] = onBothEngines({
  name: 'requests',
  about: 'the request log with 10,000,000 requests stored against 1,000,000',
  longestMs: 1_800_000,
  run,
});
