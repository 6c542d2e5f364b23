import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Engine } from '../../src/platform/index.ts';
import { firstBasis } from '../../src/reports/figures/basis.ts';
import { countFigures } from '../../src/reports/figures/count-figures.ts';
import { recountFigures } from '../../src/reports/figures/recount-figures.ts';
import { compareFigures } from '../../src/reports/figures/verify-report.ts';
import { getTeam, type Team } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { startPostgresqlServer } from '../../test/harness/postgresql-server.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Benchmark, Result, Tools } from '../benchmark.ts';
import { startChildServer } from '../child-server.ts';
import { REAL_FILLER, SPAN, spreadCalls, WEEK } from './made-calls.ts';
import { makeStore, openApp, type Place, type StorePlan } from './open-store.ts';
import { openScanner, READ_COLUMNS, WHOLE_ROWS } from './scan-rows.ts';
import { settle, timeOthers } from './time-others.ts';

const MANY = 10_000_000;
const FEW = 1_000_000;
const TEAMS = 1_000;
/** How many calls the last two weeks have together in both stores: as many as any two weeks of the larger store. */
const RECENT = 192_000;
const PEOPLE = 2_000;
const MEASURED = 40;
const RECOUNTED = 20;
const A_DAY_LATER = SPAN.endsAt + 86_400_000;
const WAIT_MS = 20;
/** The goal for a rate that may be a third of the other: the work may take three times as long. */
const AT_MOST_THREE_TIMES = 0.33;
const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);

type Engines = Pick<StorePlan, 'engine' | 'serverUrl' | 'keys'>;
type Store = { place: Place; app: App; teams: Team[] };

/** Picks the teams to measure, spread evenly over all teams. */
const openTeams = async (app: App, ids: readonly string[]): Promise<Team[]> => {
  const step = Math.floor(ids.length / MEASURED);
  const chosen = ids.filter((_, number) => number % step === 0).slice(0, MEASURED);
  const teams = await Promise.all(chosen.map((id) => getTeam(app.database, id)));
  return teams.filter((team) => team !== undefined);
};

const openStore = async (tools: Tools, engines: Engines, stored: number): Promise<Store> => {
  const begun = performance.now();
  const calls = spreadCalls(stored, RECENT, { teams: TEAMS, people: PEOPLE });
  const { place, owners } = await makeStore(tools, { ...engines, name: `stored_${stored}`, teams: TEAMS }, calls);
  const app = openApp(place);
  tools.cleanUp.defer(() => app.close());
  const teams = await openTeams(
    app,
    owners.map(({ teamId }) => teamId),
  );
  const seconds = Math.round((performance.now() - begun) / 1_000);
  tools.note(`${stored.toLocaleString('en')} calls of ${TEAMS} teams in two years, made in ${seconds} s`);
  return { place, app, teams };
};

/** Does the work for one team after another. Returns how many teams per second. */
const rateOf = async (teams: readonly Team[], work: (team: Team) => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  for (const team of teams) await work(team);
  return (teams.length * 1_000) / (performance.now() - begun);
};

const report = ({ app }: Store, team: Team) => countFigures(app, firstBasis(team, A_DAY_LATER), WEEK);

/** Compares every figure of these teams with a count that reads all of a team's calls, one by one. */
const recount = async (store: Store, { note }: Tools): Promise<void> => {
  const teams = store.teams.slice(0, RECOUNTED);
  for (const team of teams) {
    const { integrations: _, ...figures } = await report(store, team);
    const counted = await recountFigures(store.app, firstBasis(team, A_DAY_LATER), WEEK);
    const [difference] = compareFigures(figures, counted);
    if (difference) throw new Error(`A report says something else than the rows: ${JSON.stringify(difference)}`);
    if (figures.calls.inbound.value === 0) throw new Error('There was nothing to count.');
  }
  note(`every figure of ${teams.length} teams is that of a count over all their calls`);
};

const compareCosts = async (tools: Tools, title: string, engines: Engines): Promise<Result[]> => {
  const few = await openStore(tools, engines, FEW);
  const many = await openStore(tools, engines, MANY);
  await recount(many, tools);
  const scan = await openScanner(many.place, WHOLE_ROWS, tools.cleanUp);
  const scanColumns = await openScanner(many.place, READ_COLUMNS, tools.cleanUp);
  const plan = { warmUps: 3, rounds: 15, signal: tools.signal };
  const reportOf = (store: Store) => () => rateOf(store.teams, (team) => report(store, team));
  const scanned = (read: typeof scan) => () => rateOf(many.teams, ({ id }) => read(id));
  const [first] = many.teams;
  tools.note(`a team has ${first ? await scan(first.id) : 0} calls in the week and the week before it`);
  return [
    {
      kind: 'comparison',
      title: `one team's report on ${title}`,
      unit: 'a second',
      ours: `reports, among ${MANY.toLocaleString('en')} calls`,
      peer: 'bare scans of the same rows',
      rounds: await alternatePeers({ ours: reportOf(many), peer: scanned(scan) }, plan),
      goal: { atLeast: AT_MOST_THREE_TIMES },
    },
    {
      kind: 'comparison',
      title: `the same on ${title}, if a scan takes only what a report looks at`,
      unit: 'a second',
      ours: `reports, among ${MANY.toLocaleString('en')} calls`,
      peer: 'bare scans of those columns',
      rounds: await alternatePeers({ ours: reportOf(many), peer: scanned(scanColumns) }, plan),
      goal: { atLeast: AT_MOST_THREE_TIMES },
    },
    {
      kind: 'comparison',
      title: `the same weeks among more calls on ${title}`,
      unit: 'reports a second',
      ours: `among ${MANY.toLocaleString('en')} calls`,
      peer: `among ${FEW.toLocaleString('en')} calls`,
      rounds: await alternatePeers({ ours: reportOf(many), peer: reportOf(few) }, plan),
      // With many calls stored, a report may take at most 1.3 times as long.
      goal: { atLeast: 0.77 },
    },
  ];
};

/** Measures how long others wait for small requests while the report of a team with a million calls is made. */
const timeLargeTeam = async (tools: Tools, title: string, engines: Engines): Promise<Result[]> => {
  const crowd = { teams: 1, people: FEW / 5, filler: REAL_FILLER };
  const calls = [{ first: 0, count: FEW, from: SPAN.startsAt, until: SPAN.endsAt, ...crowd }];
  const { place, owners } = await makeStore(tools, { ...engines, name: 'large_team', teams: 1 }, calls);
  const teamId = owners[0]?.teamId ?? '';
  const { url, headers } = await startChildServer(PATCHBAY, JSON.stringify(place), tools.cleanUp);
  const askForReport = async (query = ''): Promise<string | undefined> => {
    const answer = await fetch(`${url}/api/cron/weekly-report?week=${WEEK}&team=${teamId}${query}`, { headers });
    const { reports } = (await answer.json()) as { reports?: { state: string }[] };
    return reports?.[0]?.state;
  };
  /** Makes the report, and waits for it. On a busy machine, the response may come before the report is made. */
  const makeReport = async (): Promise<void> => {
    if ((await askForReport()) === 'failed') throw new Error('The report could not be made.');
    while ((await askForReport('&dryRun=1')) !== 'existing') await sleep(100, null, { signal: tools.signal });
  };
  await settle(url);
  const begun = performance.now();
  const busy = await timeOthers(url, makeReport());
  const tookMs = performance.now() - begun;
  const idle = await timeOthers(url, sleep(tookMs));
  tools.note(
    `the report of ${FEW.toLocaleString('en')} calls took ${(tookMs / 1_000).toFixed(1)} s; ${busy.length} others asked meanwhile`,
  );
  const longest = (waits: readonly number[]): number => Math.max(...waits);
  return [
    {
      kind: 'reading',
      title: `the longest that anybody else waited meanwhile, on ${title}`,
      unit: 'ms',
      values: [longest(busy)],
      aim: { under: WAIT_MS },
    },
    {
      kind: 'reading',
      title: 'and for as long afterwards, with nothing to do',
      unit: 'ms',
      values: [longest(idle)],
    },
  ];
};

const measure = async (tools: Tools, title: string, engine: Engine, serverUrl: string): Promise<Result[]> => {
  const engines = { engine, serverUrl, keys: extendKeyRing(undefined) };
  return [...(await timeLargeTeam(tools, title, engines)), ...(await compareCosts(tools, title, engines))];
};

export const reportsSqlite: Benchmark = {
  name: 'reports',
  about: "one team's weekly report among ten million calls, and a team with a million in the week, on SQLite",
  run: (tools) => measure(tools, 'SQLite', 'sqlite', ''),
};

export const reportsPostgresql: Benchmark = {
  name: 'reports-postgresql',
  about: 'the same on PostgreSQL',
  async run(tools) {
    const { url, remove } = await startPostgresqlServer();
    tools.cleanUp.defer(remove);
    return measure(tools, 'PostgreSQL', 'postgresql', url);
  },
};
