import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { migrateDatabase, type Outbound } from '../../src/platform/index.ts';
import { ensureFirstTeam } from '../../src/teams/index.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Benchmark, Tools } from '../benchmark.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { makeConnection } from './make-connection.ts';

const DUE = 100;
const FEW = 1_000;
const MANY = 100_000;
const PER_COMMIT = 1_000;
const PROVIDER = 'google';

/** A provider that responds immediately, so that only our own part is measured. */
const instantProvider: Outbound = {
  async request() {
    const body = Buffer.from(JSON.stringify({ access_token: 'new', refresh_token: 'new', expires_in: 3_600 }));
    return { status: 200, headers: {}, body };
  },
  open: () => Promise.reject(new Error('The sweep opens no stream.')),
};

const createTeams = async (app: App): Promise<string[]> =>
  app.database.transaction(async (tx) => {
    const ids: string[] = [];
    for (let number = 0; number < DUE; number++) ids.push((await createTeam(app, tx, `team ${number}`))?.id ?? '');
    return ids;
  });

/** Adds connections whose refresh isn't due for a year, spread over the teams. */
const fillUp = async (app: App, teamIds: readonly string[], userId: string, count: number): Promise<void> => {
  const [teamId = ''] = teamIds;
  const model = await makeConnection(app, { teamId, userId }, PROVIDER);
  for (let made = 0; made < count; made += PER_COMMIT) {
    await app.database.transaction(async (tx) => {
      for (let number = made; number < Math.min(count, made + PER_COMMIT); number++) {
        const owner = teamIds[number % teamIds.length] ?? '';
        const provider = `provider-${Math.floor(number / teamIds.length)}`;
        await insertConnection(tx, { ...model, id: app.newId(), teamId: owner, provider });
      }
    });
  }
};

/** Prepares a service that stores this many connections. In each sweep, a hundred of them are due. */
const prepare = async ({ cleanUp }: Tools, stored: number) => {
  const config = readConfig({
    PATCHBAY_DATA: makeDirectory(cleanUp),
    PATCHBAY_KEYS: extendKeyRing(undefined),
    LOG_LEVEL: 'silent',
    OAUTH_GOOGLE_CLIENT_ID: 'client-of-google',
    OAUTH_GOOGLE_CLIENT_SECRET: 'secret-of-google',
  });
  const app = buildApp(config, { outbound: instantProvider });
  cleanUp.defer(() => app.close());
  await migrateDatabase(app.database, app.clock);
  const first = await ensureFirstTeam(app, config.adminEmail);
  const userId = first?.admin.id ?? '';
  const teamIds = await createTeams(app);
  await fillUp(app, teamIds, userId, stored);
  for (const teamId of teamIds)
    await insertConnection(app.database, await makeConnection(app, { teamId, userId }, PROVIDER));

  return async (): Promise<number> => {
    await app.database.run('update connections set refresh_due_at = 1 where provider = $1', [PROVIDER]);
    const begun = performance.now();
    await app.integrations.refreshDue();
    const seconds = (performance.now() - begun) / 1_000;
    const left = await app.database.get<{ count: number }>(
      'select count(*) as count from connections where refresh_due_at <= $1',
      [app.clock.now()],
    );
    if (left?.count !== 0) throw new Error(`${left?.count} connections are still due after the sweep.`);
    return DUE / seconds;
  };
};

export const refreshSweep: Benchmark = {
  name: 'sweep',
  about: `one sweep that finds ${DUE} connections due, among ${MANY.toLocaleString('en')} and among ${FEW.toLocaleString('en')}`,
  async run(tools) {
    const many = await prepare(tools, MANY);
    const few = await prepare(tools, FEW);
    const rounds = await alternatePeers({ ours: many, peer: few }, { warmUps: 3, rounds: 15, signal: tools.signal });
    return [
      {
        kind: 'comparison',
        title: 'refreshing what is due, on SQLite',
        unit: 'connections a second',
        ours: `among ${MANY.toLocaleString('en')} stored`,
        peer: `among ${FEW.toLocaleString('en')} stored`,
        rounds,
        // With many connections, a sweep may take at most one and a half times as long.
        goal: { atLeast: 0.67 },
      },
    ];
  },
};
