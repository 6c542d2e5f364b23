import type { Page } from 'playwright-core';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type BrowserStage, signIn } from './stage.ts';

const REQUESTS = '/requests?provider=sandbox&connection=default';

/** Pages with the same path on every service. */
const FIXED = {
  integrations: '/integrations',
  'integrations search': '/integrations?q=mail',
  'integrations in a category': '/integrations?category=crm',
  'connected integrations': '/integrations?show=connected',
  'a provider to set up': '/integrations/github',
  'a provider that is connected': '/integrations/sandbox',
  'before connecting another account': '/integrations/sandbox/connect?connection=work',
  'before replacing an account': '/integrations/sandbox/connect?connection=default',
  'before changing scopes': '/integrations/sandbox/connections/default/scopes',
  // Leads to the form, whose own address expires.
  'a form for a key': '/api/integrations/chargebee/connect',
  'before a disconnect': '/integrations/sandbox/connections/default/disconnect',
  requests: REQUESTS,
  'requests that failed': `${REQUESTS}&result=failed`,
  'no requests yet': '/requests?provider=github&connection=default',
  calls: '/calls',
  'calls to return': '/calls?waiting=1',
  voicemail: '/calls?outcome=voicemail',
  'a search for calls': '/calls?search=555',
  'a search that finds nothing': '/calls?search=nobody',
  'no matching calls': '/calls?from=%2B15550000000',
  reports: '/reports',
  agents: '/agents',
  team: '/settings',
  members: '/settings/members',
  tokens: '/settings/tokens',
  sessions: '/settings/sessions',
  'report settings': '/settings/report',
  alerts: '/alerts',
  'alert settings': '/settings/alerts',
  endpoints: '/settings/endpoints',
  audit: '/settings/audit',
  'emergency stop': '/settings/containment',
  'a filtered audit log': '/settings/audit?who=command_line&what=team.create',
  telephony: '/settings/telephony',
  'a new account': '/settings/telephony/accounts/new',
  'a new number': '/settings/telephony/numbers/new',
  'erase a number': '/settings/telephony/erase',
  'an unknown page': '/calls/unknown',
} as const;

const firstLink = async (page: Page, url: string, selector: string): Promise<string> => {
  await page.goto(url);
  const href = await page.locator(selector).first().getAttribute('href');
  if (href === null) throw new Error(`${url} has no ${selector}.`);
  return href;
};

/** Nobody listens there, so a test of it fails. */
const addEndpoint = async (page: Page, url: string): Promise<string> => {
  await page.goto(`${url}/settings/endpoints`);
  await page.getByLabel('URL').fill('http://localhost:1/hook?token=hidden');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('link', { name: 'Go on to send a test' }).click();
  const { pathname } = new URL(page.url());
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('button', { name: 'Send another test' }).waitFor();
  return pathname;
};

/** Has a program call the sandbox's API, and returns the path of the page of a request that failed. */
const makeRequests = async ({ url, run }: BrowserStage, page: Page): Promise<string> => {
  const made = await run('token', 'create', 'admin@localhost', '--name', 'a program');
  const [token] = made.stdout.split('\n');
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['me', 'nowhere']) await fetch(`${url}/api/integrations/sandbox/proxy/${path}`, { headers });
  await waitUntil('the requests are listed', async () => {
    await page.goto(`${url}${REQUESTS}`);
    return (await page.locator('table.requests tbody tr').count()) === 2;
  });
  return firstLink(page, `${url}${REQUESTS}&result=failed`, 'table.requests tbody a');
};

/** Makes agents that may do much and little, and has one of them read, and ask for an approval. */
const letAgentsIn = async ({ url, run }: BrowserStage, page: Page): Promise<Record<string, string>> => {
  const add = async (...rights: string[]): Promise<string> => {
    const { stdout } = await run('token', 'create', 'admin@localhost', ...rights);
    return stdout.split('\n')[0] ?? '';
  };
  await add('--name', 'Weekly summary', '--can', 'calls,reports', '--days', '1');
  const token = await add(
    '--name',
    'Claude on my laptop',
    '--can',
    'status',
    '--allow',
    'sandbox:default',
    '--ask',
    '--days',
    '30',
  );
  const headers = { authorization: `Bearer ${token}` };
  for (const method of ['GET', 'POST']) await fetch(`${url}/api/integrations/sandbox/proxy/me`, { method, headers });
  await waitUntil('what the agent requested is listed', async () => {
    await page.goto(`${url}/agents`);
    return (await page.locator('table.deeds tbody tr').count()) === 2;
  });
  return { 'before removing an agent': await firstLink(page, `${url}/agents`, 'table.agents td.action a') };
};

/** Stops an access token that nobody needs. */
const stopToken = async ({ url, run }: BrowserStage, page: Page): Promise<Record<string, string>> => {
  await run('token', 'create', 'admin@localhost', '--name', 'on a lost laptop');
  await page.goto(`${url}/settings/containment`);
  await page.getByLabel('What may have leaked').selectOption({ label: 'on a lost laptop' });
  await page.getByLabel('What happened').fill('A laptop was lost.');
  await page.getByRole('button', { name: 'See what would be stopped' }).click();
  await page.getByRole('button', { name: 'Stop it now' }).click();
  await page.getByRole('status').filter({ hasText: 'Stopped.' }).waitFor();
  const { pathname } = new URL(page.url());
  return {
    'what was stopped': pathname,
    'before ending access at providers': `${pathname}/revoke`,
    'before lifting an emergency stop': `${pathname}/lift`,
  };
};

/** Fills a fresh service with something to see, and returns the path of every page by name. */
export const listPages = async (stage: BrowserStage, page: Page): Promise<Record<string, string>> => {
  const { url, link, run } = stage;
  await signIn(page, link);
  await page.goto(`${url}/api/integrations/sandbox/connect?returnTo=/integrations/sandbox`);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('status').filter({ hasText: 'is connected' }).waitFor();
  const simulated = await run('simulate', 'calls', '--count', '20');
  if (simulated.code !== 0) throw new Error(simulated.stderr);
  await waitUntil(
    'a recording is archived',
    async () => {
      await page.goto(`${url}/calls`);
      return (await page.locator('.play').count()) > 0;
    },
    60_000,
  );
  const recorded = page.locator('table.calls tr', { has: page.locator('.play') }).first();
  const call = (await recorded.locator('.caller a').getAttribute('href')) ?? '';
  const reported = await run('report', 'run', '--week', lastFinishedWeek(Date.now(), 'UTC'));
  if (reported.code !== 0) throw new Error(reported.stderr);
  const week = await firstLink(page, `${url}/reports`, 'table.weeks tbody a');
  const endpoint = await addEndpoint(page, url);
  const accounts = 'a[href^="/settings/telephony/accounts/"]:not([href$="/new"])';
  const account = await firstLink(page, `${url}/settings/telephony`, accounts);
  return {
    overview: '/',
    ...FIXED,
    'a request': await makeRequests(stage, page),
    ...(await letAgentsIn(stage, page)),
    ...(await stopToken(stage, page)),
    'a call': call,
    'an event': await firstLink(page, `${url}${call}`, 'a[href^="/events/"]'),
    'a report': week,
    'an endpoint': endpoint,
    'an event that was sent': await firstLink(page, `${url}${endpoint}`, 'a[href^="/events/"]'),
    'before a new secret': `${endpoint}/secret`,
    'the account of the demo': account,
    'the number of the demo': await firstLink(page, `${url}${account}`, 'a[href^="/settings/telephony/numbers/"]'),
    'a member': await firstLink(page, `${url}/settings/members`, 'a[href^="/settings/members/"]'),
  };
};
