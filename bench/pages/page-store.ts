import { createDatabaseAt, databaseUrl } from '../../test/harness/databases.ts';
import type { Tools } from '../benchmark.ts';
import type { EngineChoice } from '../both-engines.ts';
import { makeSettings, type Settings } from '../service/place.ts';
import { fillCalls, placeOf, RARE_CALLS, type Stretch } from './fill-calls.ts';
import { makePages, NOW, openPageApp, type Pages, setUpTeam, WEEK_MS } from './page-service.ts';

/** A hundred thousand calls are those of two years. A hundred are in two days of each week that has a report. */
const spanOf = (calls: number): { since: number; until: number } =>
  calls > 100
    ? { since: NOW - 104 * WEEK_MS, until: NOW }
    : { since: Date.parse('2026-11-07T00:00:00Z'), until: Date.parse('2026-11-11T00:00:00Z') };

/** At equal intervals, the rare ones last. */
const stretchesOf = (calls: number): { common: Stretch; rare: Stretch } => {
  const { since, until } = spanOf(calls);
  const count = calls - RARE_CALLS;
  const rareFrom = Math.floor(until - (count * (until - since)) / calls);
  return {
    common: { first: 0, count, since: rareFrom, until },
    rare: { first: count, count: RARE_CALLS, since, until: rareFrom, isRare: true },
  };
};

/** A fresh place for a service, and in PostgreSQL a database of this name. */
export const makePlace = async (
  { cleanUp }: Tools,
  { databaseUrl: server }: EngineChoice,
  name: string,
): Promise<Settings> => {
  if (server !== null) await createDatabaseAt(server, name);
  return makeSettings(server === null ? null : databaseUrl(server, name), cleanUp, { LOG_LEVEL: 'silent' });
};

/** A service with one team that has this many calls. */
export const openPages = async (tools: Tools, engine: EngineChoice, calls: number): Promise<Pages> => {
  const { app, http } = await openPageApp(tools, await makePlace(tools, engine, `pages_${calls}`));
  const team = await setUpTeam(app, http);
  const { common, rare } = stretchesOf(calls);
  await fillCalls(app, team.owner, [common, rare]);
  if (app.database.engine === 'postgresql') await app.database.transaction((tx) => tx.script('analyze'));
  return makePages({ app, http }, team, placeOf(common, Math.floor(calls / 2)));
};
