import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Server } from '../../src/http/index.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf, makeSignInLink } from '../../src/teams/index.ts';
import { addAccessToken } from '../../src/teams/tokens/tokens.ts';
import { printCallCursor } from '../../src/telephony/call-log/call-query.ts';
import type { Tools } from '../benchmark.ts';
import type { Owner } from '../reports/add-owner.ts';
import type { Settings } from '../service/place.ts';
import { summarize } from '../summarize.ts';
import { ACCOUNT_ID, AUTH_TOKEN } from '../telephony/set-up.ts';
import { LINE } from './fill-calls.ts';

/** A Friday afternoon. The current week has calls, and last week has a report. */
export const NOW = Date.parse('2026-11-13T15:00:00Z');
const HOUR_MS = 3_600_000;
export const WEEK_MS = 168 * HOUR_MS;
export const FINISHED_WEEK = '2026-W45';
export const CURRENT_WEEK = '2026-W46';

export type PageApp = { app: App; http: Server };

export const openPageApp = async ({ cleanUp }: Pick<Tools, 'cleanUp'>, settings: Settings): Promise<PageApp> => {
  const app = buildApp(readConfig(settings), { clock: { now: () => Math.floor(NOW + performance.now()) } });
  cleanUp.defer(() => app.close());
  await migrateDatabase(app.database, app.clock);
  return { app, http: await app.createServer() };
};

/** A team with calls. `cookie` is for pages, `token` for the API. */
export type PageTeam = { owner: Owner; cookie: string; token: string };

/** Creates the first team with a phone line, and signs its admin in. */
export const setUpTeam = async (app: App, http: Server): Promise<PageTeam> => {
  const first = await ensureFirstTeam(app, app.config.adminEmail);
  if (!first) throw new Error('There is a team already.');
  const teamId = first.team.id;
  const holder = holderOf(first.admin);
  const { address } = await makeSignInLink(app, app.database, holder, HOUR_MS);
  const { headers } = await http.inject({ method: 'POST', url: new URL(address).pathname });
  const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('patchbay_session='));
  const { token } = await app.database.transaction((tx) =>
    addAccessToken({ ...app, limits: app.config.limits }, tx, holder, COMMAND_LINE, { name: 'benchmark' }),
  );
  const { accounts, numbers } = app.telephony;
  const account = { provider: 'twilio', accountId: ACCOUNT_ID, secrets: [AUTH_TOKEN] };
  const { id } = await accounts.create(teamId, COMMAND_LINE, account);
  await numbers.create(teamId, COMMAND_LINE, { number: LINE, label: 'Main line', account: id });
  // Make the team older than its first call.
  await app.database.run('update teams set created_at = 1');
  return { owner: { teamId, accountId: id }, cookie: cookie?.split(';')[0] ?? '', token };
};

const isApi = (path: string): boolean => path.startsWith('/api/');

/** Makes the report of the finished week, and returns functions to measure pages. `middle` is a call of the team. */
export const makePages = async (
  { app, http }: PageApp,
  { owner, cookie, token }: PageTeam,
  middle: { startedAt: number; id: string },
) => {
  await app.reports.runReports({ team: owner.teamId, week: FINISHED_WEEK, askedBy: 'command_line' });
  const ask = async (path: string): Promise<string> => {
    const headers = isApi(path) ? { authorization: `Bearer ${token}` } : { cookie, accept: 'text/html' };
    const { statusCode, body } = await http.inject({ url: path, headers });
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${body}`);
    return body;
  };
  return {
    /** The cursor of a page in the middle of the list. */
    cursor: printCallCursor(middle),
    /** How many rows of tables a page shows. For the API, how many calls. */
    async countShown(path: string): Promise<number> {
      const body = await ask(path);
      return isApi(path) ? JSON.parse(body).calls.length : body.split(/<tr[ >]/).length - 1;
    },
    /** How long a request takes, in milliseconds. The median, because the machine may be busy during a few requests. */
    async measure(path: string, times: number): Promise<number> {
      const taken: number[] = [];
      for (let count = 0; count < times; count++) {
        const begun = performance.now();
        await ask(path);
        taken.push(performance.now() - begun);
      }
      return summarize(taken).median;
    },
  };
};

export type Pages = Awaited<ReturnType<typeof makePages>>;
