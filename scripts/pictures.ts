// Takes pictures of the pages and the email for the documentation, with simulated calls: `npm run pictures`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { migrateDatabase } from '../src/platform/index.ts';
import { spanOf } from '../src/reports/week/week.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf, makeSignInLink } from '../src/teams/index.ts';
import { extendKeyRing } from '../src/vault/index.ts';
import { findChromium } from './find-chromium.ts';
import { playWeek } from './pictures/play-week.ts';

const WEEKS = ['2026-W45', '2026-W46'] as const;
const ZONE = 'Europe/Berlin';
const WHERE = 'docs/pictures';
const PORT = '3765';
const HOUR_MS = 3_600_000;

const spans = WEEKS.map((week) => spanOf(week, ZONE));
/** The Monday morning after. */
const today = (spans.at(-1)?.endsAt ?? 0) + 9.4 * HOUR_MS;
let instant = (spans[0]?.startsAt ?? 0) - 24 * HOUR_MS;
const clock = {
  now: () => instant,
  set(next: number): void {
    instant = next;
  },
};

const directory = mkdtempSync(join(tmpdir(), 'patchbay-pictures-'));
const client = (id: string) => ({ [`OAUTH_${id}_CLIENT_ID`]: 'client', [`OAUTH_${id}_CLIENT_SECRET`]: 'secret' });
const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PORT,
  LOG_LEVEL: 'error',
  ...client('GITHUB'),
  ...client('SLACK'),
  ...client('HUBSPOT'),
});
const app = buildApp(config, { clock });
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
  for (const { startsAt } of spans) await playWeek(app, teamId, clock, startsAt);
  clock.set(today);
  // In the pictures, these are the calls of a real team.
  await app.database.run('update telephony_accounts set simulated = 0');
  await app.reports.runReports({ team: teamId, askedBy: 'person' });

  const signIn = async (context: BrowserContext) => {
    const page = await context.newPage();
    const { address } = await makeSignInLink(app, app.database, holderOf(first.admin), HOUR_MS);
    await page.goto(address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  };
  mkdirSync(WHERE, { recursive: true });
  const desk = await signIn(
    await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' }),
  );
  await desk.goto(`${config.url}/api/integrations/sandbox/connect?returnTo=/integrations/sandbox`);
  await desk.getByRole('button', { name: 'Allow' }).click();
  await desk.getByRole('status').filter({ hasText: 'is connected' }).waitFor();
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
  for (const [name, path] of Object.entries(pages)) {
    await desk.goto(`${config.url}${path}`, { waitUntil: 'load' });
    await desk.screenshot({ path: `${WHERE}/${name}.png`, fullPage: name === 'report' || name === 'mail' });
  }
  const phone = await signIn(
    await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark', reducedMotion: 'reduce' }),
  );
  for (const name of ['overview', 'calls', 'report']) {
    await phone.goto(`${config.url}${pages[name]}`, { waitUntil: 'load' });
    await phone.screenshot({ path: `${WHERE}/${name}-phone.png` });
  }
  const stranger = await (await browser.newContext({ viewport: { width: 1200, height: 600 } })).newPage();
  await stranger.goto(`${config.url}/sign-in`);
  await stranger.screenshot({ path: `${WHERE}/sign-in.png` });
  process.stdout.write(`The pictures are in ${WHERE}.\n`);
  await server.close();
} finally {
  await browser.close();
  await app.close();
  rmSync(directory, { recursive: true, force: true });
}
