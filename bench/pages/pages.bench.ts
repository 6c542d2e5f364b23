import { readFileSync } from 'node:fs';
import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Server } from '../../src/http/index.ts';
import { holderOf, makeSignInLink } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { alternatePeers, type Rounds } from '../alternate-peers.ts';
import type { Benchmark, Comparison, Tools } from '../benchmark.ts';
import { SPAN, spreadCalls } from '../reports/made-calls.ts';
import { makeStore } from '../reports/open-store.ts';
import { SEALABLE, type SealableCall, sealNumbers } from '../reports/seal-numbers.ts';
import { summarize } from '../summarize.ts';

const FEW = 100;
const MANY = 100_000;
/** More than any page shows. */
const SHOWN = 60;
const ASKED = 60;
const ROUNDS = 9;
const HOUR_MS = 3_600_000;

/** Numbers that can be opened, in the calls that pages show. */
const sealShown = async (app: App, teamId: string): Promise<void> => {
  const calls = await app.database.all<SealableCall>(
    `select ${SEALABLE} from calls where team_id = $1 order by started_at desc, id desc limit $2`,
    [teamId, SHOWN],
  );
  await sealNumbers(app, teamId, calls);
};

const WAITING = new URL('../../migrations/0034-telephony-waiting-callers.sql', import.meta.url);

/** As the migration does for calls from before it: the store inserts its calls without processing them. */
const listWaiting = (app: App): Promise<number> => {
  const migration = readFileSync(WAITING, 'utf8');
  return app.database.run(migration.slice(migration.indexOf('insert into')));
};

const signIn = async (app: App, server: Server, teamId: string): Promise<string> => {
  const person = { email: 'person@example.com', name: null, role: 'admin' } as const;
  const user = await app.database.transaction((tx) => addUser(app, tx, teamId, person));
  const { address } = await makeSignInLink(app, app.database, holderOf(user), HOUR_MS);
  const { headers } = await server.inject({ method: 'POST', url: new URL(address).pathname });
  const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('patchbay_session='));
  return cookie?.split(';')[0] ?? '';
};

/** A service with one team that has this many calls over two years. Returns how long a page takes, in milliseconds. */
const openPages = async (tools: Tools, calls: number): Promise<(path: string) => Promise<number>> => {
  const keys = extendKeyRing(undefined);
  const plan = { engine: 'sqlite', serverUrl: '', name: '', keys, teams: 1 } as const;
  // Both have enough in the last days to fill a page, so that both show as much.
  const recent = Math.max(FEW - 1, Math.ceil(calls / 52));
  const spread = spreadCalls(calls, recent, { teams: 1, people: 2_000 });
  const { place, owners } = await makeStore(tools, plan, spread);
  const teamId = owners[0]?.teamId ?? '';
  const config = readConfig({
    PATCHBAY_DATA: place.directory,
    PATCHBAY_KEYS: keys,
    PATCHBAY_RATE_LIMIT: '10000000',
    LOG_LEVEL: 'silent',
  });
  const app = buildApp(config, { clock: { now: () => Math.floor(SPAN.endsAt + HOUR_MS + performance.now()) } });
  tools.cleanUp.defer(() => app.close());
  const server = await app.createServer();
  await listWaiting(app);
  await sealShown(app, teamId);
  // What was made for the store has no secret that could be opened.
  await app.database.run('update telephony_accounts set removed_at = 1');
  const cookie = await signIn(app, server, teamId);
  return async (url) => {
    const begun = performance.now();
    for (let count = 0; count < ASKED; count++) {
      const { statusCode } = await server.inject({ url, headers: { cookie } });
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}.`);
    }
    return (performance.now() - begun) / ASKED;
  };
};

const compare = (path: string, name: string, rounds: Rounds<number>): Comparison => ({
  kind: 'comparison',
  title: `${name} (${path}), server time: pages a second`,
  unit: 'a second',
  ours: `with ${MANY} calls`,
  peer: `with ${FEW} calls`,
  rounds: { ours: rounds.ours.map((ms) => 1_000 / ms), peer: rounds.peer.map((ms) => 1_000 / ms) },
  // At most 1.3 times as long.
  goal: { atLeast: 0.77 },
});

export const pages: Benchmark = {
  name: 'pages',
  about: 'the first page and the list of calls, with 100,000 calls stored against 100',
  async run(tools) {
    const many = await openPages(tools, MANY);
    const few = await openPages(tools, FEW);
    const results: Comparison[] = [];
    for (const [path, name] of [
      ['/', 'the first page'],
      ['/calls', 'the list of calls'],
    ] as const) {
      const plan = { warmUps: 3, rounds: ROUNDS, signal: tools.signal };
      const rounds = await alternatePeers({ ours: () => many(path), peer: () => few(path) }, plan);
      tools.note(
        `${name}: ${summarize(rounds.ours).median.toFixed(2)} ms against ${summarize(rounds.peer).median.toFixed(2)} ms`,
      );
      results.push(compare(path, name, rounds));
    }
    return results;
  },
};
