// Takes pictures of the pages and the email for the documentation, with simulated calls: `npm run pictures`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { migrateDatabase } from '../src/platform/index.ts';
import { spanOf } from '../src/reports/week/week.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf, makeSignInLink } from '../src/teams/index.ts';
import { extendKeyRing } from '../src/vault/index.ts';
import { startMailServer } from '../test/harness/mail-server.ts';
import { findChromium, installChromium } from './find-chromium.ts';
import { dressConnections, inviteColleagues, nameNumber, returnCalls, STAND_INS } from './pictures/furnish-team.ts';
import { playWeek } from './pictures/play-week.ts';

const WEEKS = ['2026-W40', '2026-W41', '2026-W42', '2026-W43', '2026-W44', '2026-W45', '2026-W46'] as const;
const ZONE = 'Europe/Berlin';
const WHERE = 'docs/pictures';
const PORT = '3765';
const HOUR_MS = 3_600_000;
const DESK = { width: 1200, height: 800 };
const PHONE = { width: 390, height: 844 };
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
/** Pages that people look at every day. They are also shown in dark mode and on a phone. */
const EVERY_DAY = ['overview', 'integrations', 'calls', 'call', 'report'];
const IN_FULL = ['report', 'mail'];
/** Pages that show "Live" once they are connected. */
const LIVE = ['overview', 'calls'];

const spans = WEEKS.map((week) => spanOf(week, ZONE));
const thisWeek = spans.at(-1)?.endsAt ?? 0;
/** The moment of the pictures: Wednesday afternoon. */
const today = thisWeek + (2 * 24 + 14.4) * HOUR_MS;
let instant = (spans[0]?.startsAt ?? 0) - 24 * HOUR_MS;
const clock = {
  now: () => instant,
  set(next: number): void {
    instant = next;
  },
};

const directory = mkdtempSync(join(tmpdir(), 'patchbay-pictures-'));
const client = (id: string) => ({ [`OAUTH_${id}_CLIENT_ID`]: 'client', [`OAUTH_${id}_CLIENT_SECRET`]: 'secret' });
const mail = await startMailServer();
const config = readConfig({
  PATCHBAY_DATA: directory,
  SMTP_URL: mail.url,
  MAIL_FROM: 'Patchbay <patchbay@example.com>',
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PORT,
  LOG_LEVEL: 'error',
  ...client('GITHUB'),
  ...client('SLACK'),
  ...client('HUBSPOT'),
});
const app = buildApp(config, { clock });
await installChromium();
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });

try {
  await migrateDatabase(app.database, app.clock);
  const first = await ensureFirstTeam(app, 'admin@example.com');
  if (!first) throw new Error('The database was not empty.');
  const { teamId } = first.admin;
  const openDay = [{ opens: '08:00', closes: '18:00' }];
  await app.teams.team.change(teamId, COMMAND_LINE, {
    name: 'Example Ltd',
    timeZone: ZONE,
    businessHours: {
      ...{ monday: openDay, tuesday: openDay, wednesday: openDay, thursday: openDay, friday: openDay },
      saturday: [],
      sunday: [],
    },
  });
  const server = await app.createServer();
  await server.listen({ host: '127.0.0.1', port: Number(PORT) });
  app.jobs.start();
  for (const [index, { startsAt }] of spans.entries()) {
    await playWeek(app, teamId, clock, { startsAt });
    if (index === 0) await nameNumber(app, first.admin);
    await returnCalls(app, first.admin, 4);
  }
  clock.set(thisWeek + 8 * HOUR_MS);
  await app.reports.runReports({ team: teamId, askedBy: 'person' });
  await playWeek(app, teamId, clock, { startsAt: thisWeek, until: today });
  await returnCalls(app, first.admin, 9);
  await inviteColleagues(app, first.admin);
  clock.set(today);

  const signIn = async (context: BrowserContext) => {
    const page = await context.newPage();
    const { address } = await makeSignInLink(app, app.database, holderOf(first.admin), HOUR_MS);
    await page.goto(address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  };
  mkdirSync(WHERE, { recursive: true });
  const open = async (viewport: typeof DESK, colorScheme: 'light' | 'dark', userAgent = '') =>
    signIn(
      await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', ...(userAgent && { userAgent }) }),
    );
  const desk = await open(DESK, 'light');
  for (const name of ['default', ...STAND_INS]) {
    const query = new URLSearchParams({ connection: name, returnTo: '/integrations/sandbox' });
    await desk.goto(`${config.url}/api/integrations/sandbox/connect?${query}`);
    await desk.getByRole('button', { name: 'Allow' }).click();
    await desk.getByRole('status').filter({ hasText: 'connected as' }).waitFor();
  }
  await dressConnections(app, teamId, today);
  await desk.goto(`${config.url}/settings/tokens`);
  await desk.getByLabel('Name').fill('Website');
  await desk.getByRole('button', { name: 'Create token' }).click();
  await desk.getByRole('heading', { name: 'Your access token' }).waitFor();
  const hrefOf = async (path: string, selector: string): Promise<string> => {
    await desk.goto(`${config.url}${path}`);
    return (await desk.locator(selector).first().getAttribute('href')) ?? path;
  };
  const call = await hrefOf('/calls?outcome=voicemail', 'table.calls tbody a');
  const account = await hrefOf('/settings/telephony', 'a[href^="/settings/telephony/accounts/"]:not([href$="/new"])');
  const number = await hrefOf('/settings/telephony', 'a[href^="/settings/telephony/numbers/"]:not([href*="/new"])');
  const report = `/reports/${WEEKS.at(-1)}`;
  const pages: Record<string, string> = {
    overview: '/',
    integrations: '/integrations',
    provider: '/integrations/notion',
    calls: '/calls',
    call,
    reports: '/reports',
    report,
    mail: `${report}/mail`,
    settings: '/settings',
    members: '/settings/members',
    tokens: '/settings/tokens',
    sessions: '/settings/sessions',
    'report-settings': '/settings/report',
    audit: '/settings/audit',
    telephony: '/settings/telephony',
    account,
    number,
  };
  const take = async (page: Page, names: readonly string[], ending = ''): Promise<void> => {
    for (const name of names) {
      await page.goto(`${config.url}${pages[name]}`, { waitUntil: 'load' });
      if (LIVE.includes(name)) await page.getByText('Live', { exact: true }).waitFor();
      await page.screenshot({
        path: `${WHERE}/${name}${ending}.png`,
        fullPage: ending === '' && IN_FULL.includes(name),
      });
    }
  };
  // Sign in on all devices before the first picture, so that there are several sessions to show.
  const dark = await open(DESK, 'dark');
  const phone = await open(PHONE, 'light', IPHONE);
  await take(desk, Object.keys(pages));
  await take(dark, EVERY_DAY, '-dark');
  await take(phone, EVERY_DAY, '-phone');
  const stranger = await (await browser.newContext({ viewport: { width: 1200, height: 600 } })).newPage();
  await stranger.goto(`${config.url}/sign-in`);
  await stranger.screenshot({ path: `${WHERE}/sign-in.png` });
  process.stdout.write(`The pictures are in ${WHERE}.\n`);
  await server.close();
} finally {
  await browser.close();
  await app.close();
  await mail.stop();
  rmSync(directory, { recursive: true, force: true });
}
