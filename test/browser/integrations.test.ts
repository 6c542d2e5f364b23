import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { readEntries } from '../../src/integrations/catalogue/catalogue.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { makeDataDirectory } from '../harness/serve-process.ts';
import { findViolations } from './find-violations.ts';
import { addConnections, LONGEST, makeEntries } from './large-catalogue.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

const MINUTE_MS = 60_000;
const SEARCH = 'Find a provider';

describe('integrations, with more providers than there are, and the longest values', () => {
  const directory = makeDataDirectory();
  const made = makeEntries();
  const providers = writeProviderFile(made);
  /** Without the sandbox, which is no provider. */
  const count = readEntries().length + made.length;
  let stage: BrowserStage;
  let session: Awaited<ReturnType<BrowserContext['storageState']>>;

  const visit = async (path: string, options: Parameters<BrowserStage['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await stage.newContext({ ...options, storageState: session })).newPage();
    await page.goto(`${stage.url}${path}`);
    return page;
  };

  before(async () => {
    const client = (id: string) => ({ [`OAUTH_${id}_CLIENT_ID`]: 'client', [`OAUTH_${id}_CLIENT_SECRET`]: 'secret' });
    stage = await openBrowserStage({
      PATCHBAY_DATA: directory.path,
      PATCHBAY_PROVIDERS: providers.path,
      ...client('OAUTH_1'),
      ...client('GITHUB'),
      ...client('HUBSPOT'),
      ...client('NOTION'),
    });
    const page = await (await stage.newContext()).newPage();
    await signIn(page, stage.link);
    session = await page.context().storageState();
    await page.context().close();
    const now = Date.now();
    addConnections(directory.path, [
      { provider: 'github', label: 'front-desk', usedAt: now - 2 * MINUTE_MS, perDay: [3, 40, 12, 80, 75, 20, 31] },
      { provider: 'google', label: 'front-desk@example.com', usedAt: now - 2 * MINUTE_MS },
      { provider: 'google', name: 'billing', label: 'billing@example.com' },
      { provider: 'hubspot', label: 'sales@example.com', status: 'needs_reconnect', lastError: 'Access was revoked.' },
      { provider: 'notion', label: 'docs', status: 'degraded', lastError: 'The provider is rate limiting requests.' },
      { provider: 'stripe', label: 'acct_1', reconnectBefore: now + 3 * 1_440 * MINUTE_MS },
      { provider: 'oauth-1', label: LONGEST.label, scopesAsked: [LONGEST.scope, 'read'], scopesGranted: ['read'] },
      {
        ...{ provider: 'oauth-1', name: LONGEST.connection, label: LONGEST.label },
        ...{ status: 'needs_reconnect', lastError: LONGEST.problem },
      },
    ]);
  });

  after(async () => {
    await stage.close();
    providers.remove();
    directory.remove();
  });

  test('the overview has what needs attention first, then what is connected, ready, and popular', async () => {
    const page = await visit('/integrations');
    const titles = await page.locator('#providers h2').allTextContents();
    assert.deepEqual(
      titles.map((title) => title.replace(/\s+\d+$/, '')),
      ['Needs attention', 'Connected', 'Ready to connect', 'Popular providers'],
    );
    const hubspot = page.locator('.integration.broken', { hasText: 'sales@example.com' });
    assert.match(await hubspot.innerText(), /Access was revoked\. Since yesterday/);
    assert.match(
      (await hubspot.getByRole('link', { name: 'Reconnect' }).getAttribute('href')) ?? '',
      /^\/api\/integrations\/hubspot\/connect\?/,
    );
    const google = page.locator('.integration', { has: page.getByRole('link', { name: 'Google', exact: true }) });
    assert.match(
      await google.innerText(),
      /2 accounts[\s\S]*front-desk@example\.com\s+Used 2 min ago\s+billing@example\.com\s+Not used yet/,
    );
    const github = page.locator('.integration', { has: page.getByRole('link', { name: 'GitHub', exact: true }) });
    assert.match(await github.innerText(), /261 requests in 7 days/);
    assert.equal(await github.locator('svg.sparkline').count(), 1);
    assert.match(await page.locator('.integration', { hasText: 'acct_1' }).innerText(), /By \w+ \d+/);
    assert.equal(await page.locator('.categories a').count(), 13);
    await page.context().close();
  });

  test('the overview is small, and requests everything at once', async () => {
    const page = await visit('/settings');
    const fresh = await page.context().newPage();
    const asked: { url: string; bytes: number }[] = [];
    fresh.on('requestfinished', async (request) => {
      const { responseHeadersSize, responseBodySize } = await request.sizes();
      asked.push({ url: request.url(), bytes: responseHeadersSize + responseBodySize });
    });
    await fresh.goto(`${stage.url}/integrations`, { waitUntil: 'networkidle' });
    const bytes = asked.reduce((sum, one) => sum + one.bytes, 0);
    assert.ok(bytes <= 60 * 1024, `${bytes} bytes: ${JSON.stringify(asked)}`);
    const named = await fresh.locator('link[rel=stylesheet], script[src]').count();
    assert.equal(asked.length, 1 + named, JSON.stringify(asked));
    await page.context().close();
  });

  test('typing finds providers without loading the page, and takes back what it found', async () => {
    const page = await visit('/integrations');
    await page.evaluate("document.body.dataset.same = 'yes'");
    await page.getByLabel(SEARCH).pressSequentially('git');
    await page.getByRole('heading', { name: /^\d+ providers for “git”$/ }).waitFor();
    const [first = ''] = await page.locator('.tiles a').allInnerTexts();
    assert.match(first, /^GitHub\s+Connected$/);
    assert.match(page.url(), /\?q=git$/);
    assert.match((await page.getByRole('search').getByRole('status').textContent()) ?? '', /providers for “git”/);
    await page.getByLabel(SEARCH).fill('nothing like this');
    await page.getByRole('heading', { name: 'No providers for “nothing like this”' }).waitFor();
    await page.getByLabel(SEARCH).fill('');
    await page.getByRole('heading', { name: /^Needs attention/ }).waitFor();
    assert.equal(await page.evaluate('document.body.dataset.same'), 'yes');
    assert.deepEqual(stage.complaints, []);
    await page.context().close();
  });

  test('without JavaScript, the form finds providers, and categories and pages are links', async () => {
    const page = await visit('/integrations', { javaScriptEnabled: false });
    await page.getByLabel(SEARCH).fill('SÉRVICE 17 keys');
    await page.getByRole('button', { name: 'Search' }).click();
    assert.match(await page.locator('#providers h2').innerText(), /^\d+ providers for “SÉRVICE 17 keys”$/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: `Browse all ${count}`, exact: true }).click();
    await page.locator('.tiles a').nth(47).waitFor();
    assert.equal(await page.locator('.tiles a').count(), 48);
    await page.getByRole('link', { name: 'Next' }).click();
    assert.match(page.url(), /show=all&page=2$/);
    await page.getByRole('link', { name: 'Mail and calendar' }).click();
    assert.match(await page.locator('#providers h2').innerText(), /^\d+ providers in Mail and calendar$/);
    await page.context().close();
  });

  test('an admin tries a provider with one click, and the page remembers what was found', async () => {
    const page = await visit('/integrations/sandbox');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    await page.getByRole('heading', { name: /^Last tried here today at / }).waitFor();
    assert.deepEqual(await page.locator('.tried .pill').allInnerTexts(), ['Passed', 'Passed', 'Passed']);
    assert.deepEqual(await findViolations(page), []);
    await page.goto(`${stage.url}/integrations/sandbox`);
    await page.getByRole('heading', { name: /^Last tried here today at / }).waitFor();
    await page.getByRole('button', { name: 'Try it again' }).click();
    await page.getByText('This was tried a moment ago.').waitFor();

    await page.goto(`${stage.url}/integrations/gitlab`);
    const section = page.locator('#tried');
    assert.match(
      await section.innerText(),
      /Patchbay has public sources .* GitLab.* details that Patchbay uses.* are in GitLab's own documentation/,
    );
    assert.match(await section.innerText(), /last checked (?:on|in) \w+ [\d, ]*2026/);
    assert.match(await section.innerText(), /You can try it here once its OAuth app is set up\./);
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`every page passes axe in ${colorScheme} mode and fits 320 px with the longest values`, async () => {
      const page = await visit('/integrations', { colorScheme, viewport: { width: 320, height: 740 } });
      const found: string[] = [];
      for (const path of [
        ...['/integrations', '/integrations?show=attention', '/integrations?show=connected', '/integrations?show=all'],
        ...[
          `/integrations?q=${LONGEST.name}`,
          '/integrations/oauth-1',
          '/integrations/oauth-1/connect?connection=other',
        ],
        ...['/integrations/oauth-1/connections/default/scopes', '/integrations/oauth-2', '/integrations/key-1'],
        ...['/integrations/github', '/integrations/google', '/integrations/salesforce'],
      ]) {
        await page.goto(`${stage.url}${path}`);
        for (const violation of await findViolations(page)) found.push(`${path}: ${violation}`);
        const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
        if (overflow > 0) found.push(`${path}: ${overflow} px too wide`);
      }
      await page.context().close();
      assert.deepEqual(found, []);
    });

  test('a provider to set up leads to its developer site, and its callback URL can be copied', async () => {
    const page = await visit('/integrations/salesforce', { permissions: ['clipboard-read', 'clipboard-write'] });
    const site = page.getByRole('link', { name: 'Open the developer site of Salesforce' });
    assert.match((await site.getAttribute('href')) ?? '', /^https:\/\/help\.salesforce\.com\//);
    await page.getByRole('button', { name: 'Copy callback URL' }).click();
    await page.getByText('Copied').waitFor({ state: 'attached' });
    assert.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      `${stage.url}/api/integrations/salesforce/callback`,
    );
    await page.context().close();
  });

  test("a provider's logo leaves the way back readable, on a phone, too", async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
    ]) {
      const page = await visit('/integrations/gitlab', { viewport });
      const logo = await page.locator('h1 > svg').boundingBox();
      const trail = await page.locator('nav.trail').boundingBox();
      assert.ok(logo && trail && logo.y >= trail.y + trail.height, JSON.stringify({ logo, trail }));
      await page.context().close();
    }
  });

  test("an admin edits the scopes of the team's own app without entering its secret again", async () => {
    const page = await visit('/integrations/linear');
    await page.getByLabel('Client ID').fill('our-client');
    await page.getByLabel('Client secret').fill('our-secret');
    await page.getByRole('button', { name: 'Save for this team' }).click();
    await page.getByText('Edit scopes').click();
    await page.locator('#defaultScopes').fill(`${LONGEST.scope}\nwrite`);
    await page.getByRole('button', { name: 'Save scopes' }).click();
    await page.getByText('The scopes are saved.').waitFor();
    assert.ok((await page.locator('.set-up-scopes .scopes').innerText()).includes('write'));
    await page.getByText('Edit scopes').click();
    await page.locator('#defaultScopes').fill('schön');
    await page.getByRole('button', { name: 'Save scopes' }).click();
    assert.equal(await page.locator('#defaultScopes').inputValue(), 'schön');
    await page.locator('#defaultScopes').fill('');
    await page.getByRole('button', { name: 'Save scopes' }).click();
    await page.getByText('These are the defaults.').waitFor();
    await page.context().close();
  });
});
