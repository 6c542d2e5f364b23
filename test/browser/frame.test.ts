import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { waitUntil } from '../harness/wait-until.ts';
import { findViolations } from './find-violations.ts';
import { listPages } from './list-pages.ts';
import { ADMIN_TOKEN, fillInLongestValues } from './longest-values.ts';
import { type BrowserStage, openBrowserStage } from './stage.ts';

/** How far the page scrolls sideways, and what reaches that far. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return null;
  const isClipped = (element) =>
    element !== document.body && (getComputedStyle(element).overflowX !== 'visible' || (element.parentElement && isClipped(element.parentElement)));
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 0.5 && !isClipped(element.parentElement),
  );
  return (scrollWidth - clientWidth) + ' px: ' + wide.slice(-2).map((element) => element.outerHTML.slice(0, 160)).join(' | ');
})()`;

describe('the frame of the pages', () => {
  let stage: BrowserStage;
  let context: BrowserContext;
  let page: Page;
  let paths: Readonly<Record<string, string>>;

  before(async () => {
    stage = await openBrowserStage({ PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN });
    context = await stage.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    paths = { ...(await listPages(stage, page)), ...(await fillInLongestValues(stage.url)) };
    // Refusals are written a little later.
    await waitUntil('the home page mentions the refused request', async () => {
      await go('/');
      return (await page.locator('main').innerText()).includes('refused');
    });
  });

  after(() => stage.close());

  const go = (path: string) => page.goto(`${stage.url}${path}`);

  test('fits a screen of 320 pixels with the longest value in every field', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const found: string[] = [];
    for (const [name, path] of Object.entries({ ...paths, 'the API docs': '/docs' })) {
      const response = await go(path);
      if (name !== 'an unknown page' && !response?.ok()) found.push(`${name} (${path}): ${response?.status()}`);
      const overflow = await page.evaluate(OVERFLOW);
      if (overflow !== null) found.push(`${name} (${path}): ${overflow}`);
    }
    await go('/integrations');
    const sections = page.getByRole('navigation', { name: 'Sections' });
    assert.ok(await sections.evaluate((nav) => nav.scrollWidth <= nav.clientWidth), 'every section is in view');
    const isBeside = async (): Promise<boolean> => {
      const [brand, menu] = await Promise.all(['.brand', '.who'].map((part) => page.locator(part).boundingBox()));
      return Boolean(brand && menu && menu.y < brand.y + brand.height);
    };
    assert.ok(await isBeside(), 'the menu is beside the name of the service');
    await page.locator('.bell').evaluate((bell) => {
      bell.querySelector('strong')?.remove();
      bell.insertAdjacentHTML('beforeend', ' <strong>99+</strong>');
    });
    assert.ok(await isBeside(), 'also with the longest count of alerts');
    await page.locator('.who summary').click();
    const overflow = await page.evaluate(OVERFLOW);
    if (overflow !== null) found.push(`the menu: ${overflow}`);
    await page.setViewportSize({ width: 1200, height: 800 });
    assert.deepEqual(found, []);
  });

  test('leads back from every page that is not the first of its section', async () => {
    const trail = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
    const lost: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await go(path);
      const { pathname } = new URL(page.url());
      const isFirst = ['/', '/integrations', '/calls', '/reports', '/agents', '/settings'].includes(pathname);
      // The form for a key has no navigation: customers see it, too.
      if (name !== 'a form for a key' && isFirst === (await trail.count()) > 0) lost.push(`${name} (${path})`);
    }
    assert.deepEqual(lost, []);
    const trailOf = async (name: string): Promise<string[]> => {
      await go(paths[name] ?? '');
      return trail.allInnerTexts();
    };
    assert.deepEqual(await trailOf('before a new secret'), ['Settings', 'Endpoints', 'Endpoint']);
    assert.deepEqual(await trailOf('the account of the demo'), ['Settings', 'Telephony']);
    assert.deepEqual(await trailOf('before a disconnect'), ['Integrations', 'Sandbox']);
    assert.deepEqual(await trailOf('an event'), ['Calls', 'Call']);
    await trail.last().click();
    await page.getByRole('heading', { name: /^Call (from|to) / }).waitFor();
  });

  test('keeps the list of access tokens apart from the tabs above and the form below', async () => {
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      await go('/settings/tokens');
      assert.equal(
        await page.evaluate("getComputedStyle(document.querySelector('.stack tbody tr')).borderTopWidth"),
        '0px',
      );
      await page.locator('main > .scroll').evaluate((list) => {
        list.insertAdjacentHTML('afterend', '<p class="row"><a href="#">Older</a></p>');
      });
      const [steps, form] = await Promise.all(
        ['main > .row', 'main > .sheet'].map((part) => page.locator(part).boundingBox()),
      );
      assert.ok(steps && form && form.y - steps.y - steps.height >= 24, `${width} px`);
    }
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test('has a menu that opens and closes with the keyboard, and gives the focus back', async () => {
    await go('/');
    const menu = page.locator('details.who');
    const isOpen = () => menu.evaluate((details) => details.hasAttribute('open'));
    await page.locator('.who summary').focus();
    await page.keyboard.press('Enter');
    assert.equal(await isOpen(), true);
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    assert.equal(await isOpen(), false);
    assert.equal(await page.locator(':focus').evaluate((focused) => focused.localName), 'summary');
    await page.keyboard.press('Enter');
    await page.locator('h1').click();
    assert.equal(await isOpen(), false, 'a click elsewhere closes it');
  });

  test('is around the API docs, which are there at once and can be tried', async () => {
    const complaints = stage.complaints.length;
    await page.route('**/swagger-ui-bundle.js*', async (route) => {
      await page.getByText('/api/integrations/status', { exact: true }).waitFor();
      await route.continue();
    });
    await go('/docs');
    await page.locator('#swagger-ui .opblock').first().waitFor();
    await page.unroute('**/swagger-ui-bundle.js*');
    assert.equal(await page.locator('#operation-list').count(), 0, 'The list has made place.');
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').count(), 6);
    await page.keyboard.press('Escape');
    await page.locator('#operations-operations-getHealthz .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('"status": "ok"').waitFor();
    assert.deepEqual(stage.complaints.slice(complaints), []);

    const stranger = await (await stage.newContext({ javaScriptEnabled: false })).newPage();
    await stranger.goto(`${stage.url}/docs`);
    assert.match(await stranger.locator('#operation-list').innerText(), /GET\s+\/api\/integrations\/status/);
    await stranger.getByRole('link', { name: 'Sign in' }).waitFor();
    await stranger.context().close();
  });

  test('says what was done once, and not again on reload', async () => {
    await go('/settings');
    await page.getByRole('button', { name: 'Save' }).first().click();
    const told = page.locator('.notice.good');
    await told.waitFor();
    await page.waitForURL(/\/settings$/);
    await page.reload();
    assert.equal(await told.count(), 0);
  });

  test('shows a new secret of an endpoint once, and makes no other one on reload', async () => {
    await go(paths['before a new secret'] ?? '');
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    // The browser submits the form again.
    assert.equal((await page.reload())?.status(), 409);
    await page.getByText('no other one was made').waitFor();
    assert.equal(await page.getByText(/^whsec_/).count(), 0);
  });

  test("copies a day's hours to all days without leaving the page", async () => {
    await go('/settings');
    await page.getByLabel('These hours').check();
    await page.getByLabel('Tuesday opens', { exact: true }).fill('10:30');
    await page.getByRole('button', { name: 'Copy Tuesday to all days' }).click();
    await page.getByRole('status').filter({ hasText: 'Tuesday was copied to all days' }).waitFor();
    assert.equal(await page.getByLabel('Sunday opens', { exact: true }).inputValue(), '10:30');
    assert.equal(await page.getByLabel('Sunday closes', { exact: true }).inputValue(), '17:00');
    assert.deepEqual(await findViolations(page), []);
    await page.getByLabel('Name').press('Enter');
    await page.locator('.notice.good').waitFor();
    assert.equal(await page.locator('[name="sunday-opens-1"]').inputValue(), '10:30');
    await page.getByLabel('No fixed hours').check();
    await page.getByLabel('Name').press('Enter');
    await page.locator('.notice.good').waitFor();
  });

  test('copies an address, and says so', async () => {
    await go(paths['an account with a refused request'] ?? '');
    const block = page.locator('.copy-block').first();
    await block.getByRole('button', { name: 'Copy voice URL' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, (await block.locator('code').innerText()).trim());
  });

  test('shows no copy buttons without JavaScript', async () => {
    const plain = await stage.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    });
    const quiet = await plain.newPage();
    await quiet.goto(`${stage.url}${paths['an account with a refused request']}`);
    assert.ok((await quiet.locator('.copies').count()) > 0);
    assert.equal(await quiet.locator('.copies:visible').count(), 0);
    await plain.close();
  });

  test('leads on from a page that is not there', async () => {
    for (const path of ['/calls/unknown', '/nowhere']) {
      await go(path);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Calls' }).waitFor();
      assert.deepEqual(await findViolations(page), []);
    }
  });

  test('has a style for paper that leaves the navigation out', async () => {
    await page.emulateMedia({ media: 'print' });
    await go(paths['a report'] ?? '');
    assert.equal(await page.locator('.masthead').isVisible(), false);
    assert.equal(await page.locator('.report').isVisible(), true);
    await page.emulateMedia({ media: null });
  });
});
