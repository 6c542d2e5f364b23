import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findViolations } from './find-violations.ts';
import { type BrowserStage, openBrowserStage } from './stage.ts';

const OPERATOR_TOKEN = 'operator-token-of-the-browser-tests-0123456789';
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><circle cx="16" cy="16" r="15"/></svg>';

describe("a customer's user on the hosted page", () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-brand-'));
  let stage: BrowserStage;

  before(async () => {
    writeFileSync(join(directory, 'logo.svg'), LOGO);
    stage = await openBrowserStage({
      PATCHBAY_OPERATOR_TOKEN: OPERATOR_TOKEN,
      PATCHBAY_BRAND_NAME: 'Shipshape',
      PATCHBAY_BRAND_COLOR: '#ffd400',
      PATCHBAY_BRAND_LOGO: join(directory, 'logo.svg'),
    });
  });

  after(async () => {
    await stage.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const operate = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${stage.url}/api/operator/teams/${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as Record<string, string>;
  };

  const openLink = async (context: BrowserContext, key: string): Promise<Page> => {
    await operate('PUT', key, { name: 'Acme' });
    const user = { key: 'u-1', name: 'Ann Example' };
    const { pageUrl } = await operate('POST', `${key}/sessions`, {
      user,
      providers: ['sandbox'],
      returnTo: '/sign-in',
    });
    const page = await context.newPage();
    await page.goto(pageUrl ?? '');
    return page;
  };

  for (const colorScheme of ['light', 'dark'] as const)
    test(`passes axe on every step in ${colorScheme} mode, fits a phone, and sees the product's branding`, async () => {
      const context = await stage.newContext({ colorScheme, viewport: { width: 360, height: 740 } });
      const found: string[] = [];
      const page = await openLink(context, `axe-${colorScheme}`);
      const link = page.url();
      const look = async (name: string): Promise<void> => {
        for (const violation of await findViolations(page)) found.push(`${name}: ${violation}`);
        const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
        if (overflow > 0) found.push(`${name}: ${overflow} px wider than a phone`);
        assert.match(await page.title(), /· Shipshape$/, name);
        // The page can be there a moment before its logo. A logo that can't be shown is refused.
        const width = '((logo) => logo.decode().then(() => logo.naturalWidth))(document.querySelector("header img"))';
        assert.equal(await page.evaluate(width), 32);
      };
      await look('the link');
      assert.match(await page.locator('main').innerText(), /Acme[\s\S]*Ann Example/);
      const button = page.getByRole('button', { name: 'Continue' });
      assert.equal(
        await page.evaluate("getComputedStyle(document.querySelector('main button')).backgroundColor"),
        'rgb(255, 212, 0)',
      );
      await button.click();
      await page.waitForURL(/\/connect$/);
      await look('nothing connected');
      await page.getByRole('link', { name: 'Connect Sandbox' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(/\/connect\?/);
      assert.match(await page.getByRole('status').innerText(), /Sandbox is connected/);
      await look('connected');
      await page.getByRole('link', { name: 'Add another Sandbox account' }).click();
      await look('before a second account');
      await page.getByLabel('Name').fill('Side project');
      await page.getByRole('button', { name: 'Continue' }).click();
      await look('before the provider');
      await page.getByRole('link', { name: 'Continue to Sandbox' }).click();
      await page.getByLabel(/Second account/).check();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(/\/connect\?/);
      assert.match(await page.getByRole('status').innerText(), /Sandbox \(side-project\) is connected/);
      await look('two accounts');
      await page.goto(link);
      await page.waitForURL(/\/connect$/);
      assert.match(await page.locator('main').innerText(), /side-project/, 'The same link opens it again.');
      await page.getByRole('link', { name: 'Disconnect Sandbox', exact: true }).click();
      await look('before a disconnect');
      await page.getByRole('button', { name: 'Disconnect Sandbox' }).click();
      await page.waitForURL(/\/connect$/);
      assert.deepEqual(await page.locator('h2').allInnerTexts(), ['Sandbox (side-project)']);
      await context.clearCookies();
      await page.goto(`${stage.url}/connect`);
      await look('ended');
      await context.close();
      assert.deepEqual(found, []);
    });

  test('is told when access was declined, and gets back to the product', async () => {
    const context = await stage.newContext({ javaScriptEnabled: false });
    const page = await openLink(context, 'declining');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Connect Sandbox' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/outcome=failed/);
    assert.match(await page.getByRole('status').innerText(), /access was declined/);
    await page.getByRole('link', { name: 'Done' }).click();
    await page.waitForURL(/\/sign-in$/);
    await context.close();
  });

  test('sees no page that violates its content security policy', () => {
    // A cleared cookie makes the last page a 401, which the browser reports.
    assert.deepEqual(
      stage.complaints.filter((complaint) => !complaint.includes('401')),
      [],
    );
  });
});
