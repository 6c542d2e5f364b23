// The whole service with teams whose endpoints are at the receiver. The argument says where its files, its database and
// the receiver are. Events are recorded without real calls, because only the events are measured.
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam } from '../../src/teams/index.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';

type Argument = { directory: string; databaseUrl: string | null; receiver: string; teams: number; events: number };
const { directory, databaseUrl, receiver, teams, events } = JSON.parse(process.argv[2] ?? '') as Argument;

const AT_ONCE = 20;
const PER_SECOND = 100;

const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  DATABASE_URL: databaseUrl ?? '',
  LOG_LEVEL: 'silent',
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
await ensureFirstTeam(app, config.adminEmail);

const addTeam = async (path: string): Promise<string> => {
  const team = await app.database.transaction((tx) => createTeam(app, tx, path));
  if (!team) throw new Error('The team was not made.');
  const owner = { teamId: team.id, forOperator: false };
  const url = new URL(path, receiver).href;
  await app.events.endpoints.create(owner, COMMAND_LINE, { url, types: ['*'], description: '' });
  return team.id;
};
const good: string[] = [];
for (let count = 0; count < teams; count++) good.push(await addTeam(`/good/${count}`));
const bad = await addTeam('/never');
app.events.sending.start();

const now = (): number => performance.timeOrigin + performance.now();
/** Makes an event about as large as one with a call's data. */
const FILLING = 'x'.repeat(300);

const happen = (teamIds: readonly string[]) =>
  app.database.transaction((tx) =>
    app.events.record(
      tx,
      ...teamIds.map((teamId, index) => ({
        ...{ teamId, type: 'call.started' as const, subject: String(index), data: { at: now(), filling: FILLING } },
      })),
    ),
  );

const makeHappen = async (teamIdOf: (index: number) => string): Promise<void> => {
  for (let made = 0; made < events; made += AT_ONCE)
    await happen(Array.from({ length: AT_ONCE }, (_, index) => teamIdOf(made + index)));
};

const [first = ''] = good;

reportToParent(
  { url: '', headers: {} },
  {
    /** Records events at a steady pace, as when calls come in. */
    steady: async () => {
      const begun = performance.now();
      for (let made = 0; made < events / 10; made++) {
        void happen([first]);
        await sleep(Math.max(0, begun + ((made + 1) * 1_000) / PER_SECOND - performance.now()));
      }
    },
    burst: () => makeHappen(() => first),
    spread: () => makeHappen((index) => good[index % good.length] ?? ''),
    /** Records events for the endpoint that never responds. */
    disturb: () => makeHappen(() => bad),
  },
);
