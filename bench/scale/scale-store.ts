import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { hashParty } from '../../src/telephony/calls/call-parties.ts';
import { toParty } from '../../src/telephony/contract/party.ts';
import type { Tools } from '../benchmark.ts';
import type { EngineChoice } from '../both-engines.ts';
import { fillCalls, LINE, numberOf, PEOPLE, placeOf, RARE_CALLS, type Stretch } from '../pages/fill-calls.ts';
import { makePages, NOW, openPageApp, type Pages, setUpTeam, WEEK_MS } from '../pages/page-service.ts';
import { makePlace } from '../pages/page-store.ts';
import type { Owner } from '../reports/add-owner.ts';
import { type Filling, fillPostgresql, fillSqlite } from '../reports/fill-store.ts';
import type { MadeCalls } from '../reports/made-calls.ts';
import { COMMON_CALLS } from './scale-size.ts';

const HOUR_MS = 3_600_000;
/** The calls are from two years. The last four weeks have the same number of calls in every store. */
const [OLDEST, RECENT] = [NOW - 104 * WEEK_MS, NOW - 4 * WEEK_MS];
const MIDDLE = (OLDEST + RECENT) / 2;
/** How many calls there are around `MIDDLE`. More than a page shows. */
const AT_MIDDLE = 200;

/** The calls that pages show. Their phone numbers can be decrypted. */
const SHOWN = {
  recent: { first: 0, count: COMMON_CALLS, since: RECENT, until: NOW },
  middle: { first: COMMON_CALLS, count: AT_MIDDLE, since: MIDDLE - HOUR_MS, until: MIDDLE },
  rare: {
    ...{ first: COMMON_CALLS + AT_MIDDLE, count: RARE_CALLS, since: OLDEST - HOUR_MS, until: OLDEST },
    isRare: true,
  },
} as const satisfies Record<string, Stretch>;

/** All other calls, which the database makes up itself, without sealed numbers. They are older than the reports. */
const listOthers = (calls: number): MadeCalls[] => {
  const newer = Math.floor(calls / 2) - COMMON_CALLS;
  const older = calls - newer - COMMON_CALLS - AT_MIDDLE - RARE_CALLS;
  const crowd = { teams: 1, people: PEOPLE, filler: '' };
  return [
    { first: 0, count: newer, from: MIDDLE + 1, until: RECENT, ...crowd },
    { first: newer, count: older, from: OLDEST + 1, until: MIDDLE - HOUR_MS, ...crowd },
  ];
};

/** The people in older calls are the same who call now. All were called back since, so nobody waits for an old call. */
const listPeople = ({ vault }: App, { teamId }: Owner): Promise<NonNullable<Filling['people']>> => {
  const numbers = [LINE, ...Array.from({ length: PEOPLE }, (_, person) => numberOf(person))];
  return Promise.all(
    numbers.map(async (number, index) => [index - 1, (await hashParty(vault, teamId, toParty(number))) ?? ''] as const),
  );
};

/** Opens a service with one team that has this many calls. */
export const openScaled = async (tools: Tools, engine: EngineChoice, calls: number): Promise<Pages> => {
  const begun = performance.now();
  const settings = await makePlace(tools, engine, `scale_${calls}`);
  await using before = new AsyncDisposableStack();
  const { app, http } = await openPageApp({ cleanUp: before }, settings);
  const team = await setUpTeam(app, http);
  await fillCalls(app, team.owner, Object.values(SHOWN));
  const filling = { owners: [team.owner], calls: listOthers(calls), people: await listPeople(app, team.owner) };
  await before.disposeAsync();
  const { PATCHBAY_DATA, DATABASE_URL } = settings;
  if (DATABASE_URL === undefined) fillSqlite(join(PATCHBAY_DATA, 'patchbay.db'), filling);
  else await fillPostgresql(DATABASE_URL, filling);
  const pages = await makePages(await openPageApp(tools, settings), team, placeOf(SHOWN.middle, SHOWN.middle.first));
  tools.note(`${calls.toLocaleString('en')} calls, made in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return pages;
};
