import { createDatabaseAt, databaseUrl } from '../../test/harness/databases.ts';
import type { Tools } from '../benchmark.ts';
import type { EngineChoice } from '../both-engines.ts';
import { makeSettings, type Settings } from '../service/place.ts';
import { fillCalls, placeOf, RARE_CALLS, type Stretch } from './fill-calls.ts';
import { makePages, NOW, openPageApp, type Pages, setUpTeam, WEEK_MS } from './page-service.ts';

/** The period of the calls: two years, or for a hundred calls, two days each of the finished and the current week. */
const spanOf = (calls: number): { since: number; until: number } =>
  calls > 100
    ? { since: NOW - 104 * WEEK_MS, until: NOW }
    : { since: Date.parse('2026-11-07T00:00:00Z'), until: Date.parse('2026-11-11T00:00:00Z') };

/** Splits the calls into common ones and the rare ones, which are the oldest. All are at equal intervals. */
const stretchesOf = (calls: number): { common: Stretch; rare: Stretch } => {
  const { since, until } = spanOf(calls);
  const count = calls - RARE_CALLS;
  const rareFrom = Math.floor(until - (count * (until - since)) / calls);
  return {
    common: { first: 0, count, since: rareFrom, until },
    rare: { first: count, count: RARE_CALLS, since, until: rareFrom, isRare: true },
  };
};

/** Makes a new data directory for a service, and on PostgreSQL a database of this name. */
export const makePlace = async (
  { cleanUp }: Tools,
  { databaseUrl: server }: EngineChoice,
  name: string,
): Promise<Settings> => {
  if (server !== null) await createDatabaseAt(server, name);
  return makeSettings(server === null ? null : databaseUrl(server, name), cleanUp, { LOG_LEVEL: 'silent' });
};

/** Opens a service with one team that has this many calls. */
export const openPages = async (tools: Tools, engine: EngineChoice, calls: number): Promise<Pages> => {
  const { app, http } = await openPageApp(tools, await makePlace(tools, engine, `pages_${calls}`));
  const team = await setUpTeam(app, http);
  const { common, rare } = stretchesOf(calls);
  await fillCalls(app, team.owner, [common, rare]);
  if (app.database.engine === 'postgresql') await app.database.transaction((tx) => tx.script('analyze'));
  return makePages({ app, http }, team, placeOf(common, Math.floor(calls / 2)));
};
