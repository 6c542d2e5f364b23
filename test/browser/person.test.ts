import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

describe('a person in a browser', () => {
  let stage: BrowserStage;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    stage = await openBrowserStage();
    context = await stage.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
  });

  after(() => stage.close());

  const go = (path: string) => page.goto(`${stage.url}${path}`);
  const press = (name: string | RegExp, on: Page = page) => on.getByRole('button', { name }).first().click();
  const follow = (name: string | RegExp, on: Page = page) => on.getByRole('link', { name }).first().click();
  const rowsOf = (on: Page) => on.locator('table.requests tbody tr');
  /** A click doesn't wait for the page that it leads to. */
  const expectRows = (on: Page, count: number) =>
    waitUntil(`there are ${count} requests`, async () => (await rowsOf(on).count()) === count);
  const status = (on: Page = page) => on.getByRole('status').filter({ hasText: /\S/ }).first().innerText();

  test('signs in with the link from the first start, and ends up where they were headed', async () => {
    await go('/calls');
    await page.waitForURL(/\/sign-in/);
    assert.match(await page.locator('main').innerText(), /doesn’t use passwords/);
    await signIn(page, stage.link);
    assert.equal(new URL(page.url()).pathname, '/calls');
    await follow('Home');
    await page.getByText('What should we call your team?').waitFor();
  });

  test('connects the sandbox through its consent page', async () => {
    await follow('Integrations');
    await follow('Connect the sandbox');
    await press('Allow');
    assert.match(await status(), /is connected/);
    await go('/integrations');
    await page.locator('.integration', { hasText: 'Sandbox' }).getByText('Connected', { exact: true }).waitFor();
  });

  test('is asked before disconnecting, and told the result', async () => {
    await go('/integrations/sandbox');
    await follow(/^Disconnect/);
    assert.match(await page.locator('main').innerText(), /deleted from Patchbay immediately/);
    await follow('Cancel');
    await follow(/^Disconnect/);
    await press(/^Disconnect/);
    assert.match(await status(), /the provider has revoked access/);
  });

  test('is told when access was declined', async () => {
    await go('/integrations/sandbox');
    await follow(/^Connect/);
    await press('Deny');
    assert.match(await status(), /was not connected.*declined/s);
  });

  test('can start in two tabs and finish in both', async () => {
    const other = await context.newPage();
    await go('/integrations/sandbox');
    await other.goto(`${stage.url}/integrations/sandbox`);
    await follow(/^Connect/);
    await follow(/^Connect/, other);
    for (const tab of [other, page]) {
      await press('Allow', tab);
      assert.match(await status(tab), /is connected/);
    }
    await other.close();
  });

  test('is told that nothing has changed when a reconnect is declined', async () => {
    await go('/integrations/sandbox');
    await follow(/^Reconnect/);
    await press('Deny');
    assert.match(await status(), /was not reconnected.*hasn't changed.*declined/s);
    await page.getByText('Connected', { exact: true }).first().waitFor();
  });

  test('sees what a program requested with an account, on a narrow phone and without JavaScript', async () => {
    await go('/settings/tokens');
    await page.getByLabel('Name', { exact: true }).fill('nightly sync');
    await press('Create token');
    const token = await page.locator('.copy code').first().innerText();
    const phone = await stage.newContext({
      ...{ javaScriptEnabled: false, viewport: { width: 320, height: 640 } },
      storageState: await context.storageState(),
    });
    const small = await phone.newPage();
    await small.goto(`${stage.url}/integrations/sandbox`);
    await follow(/^Requests/, small);
    await small.getByRole('heading', { name: 'Nothing requested in the last seven days' }).waitFor();
    const command = await small.locator('.no-requests .copy code').first().innerText();
    const [address = ''] = /http[^']+(?='$)/.exec(command) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['me', 'nowhere']) await fetch(address.replace('<path>', path), { headers });
    await waitUntil('they are listed', async () => {
      await small.reload();
      return (await rowsOf(small).count()) === 2;
    });
    await small.getByLabel('Result').selectOption('Failed');
    await press('Apply', small);
    await expectRows(small, 1);
    assert.deepEqual(await small.locator('table.requests tbody th').allInnerTexts(), ['GET /nowhere']);
    await small.getByLabel('Method').selectOption('PUT');
    await press('Apply', small);
    await follow('Show all', small);
    await follow('GET /me', small);
    assert.match(await small.locator('main').innerText(), /The provider responded\.[\s\S]*nightly sync/);
    await follow('All requests by nightly sync', small);
    await small.getByRole('heading', { name: 'Requests by nightly sync' }).waitFor();
    await expectRows(small, 2);
    await follow('Access tokens', small);
    await follow('Requests by nightly sync', small);
    await expectRows(small, 2);
    const tooWide = await small.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    assert.equal(tooWide, 0);
    await phone.close();
  });

  test('connects a second account under its own name, and is asked before one replaces another', async () => {
    await go('/integrations/sandbox');
    await page.getByText('Connect another account').click();
    await page.getByLabel('Name', { exact: true }).fill('work');
    await press('Connect Sandbox');
    await follow('Continue to Sandbox');
    await page.getByLabel('Second account').check();
    await press('Allow');
    assert.match(await status(), /Sandbox \(work\) is connected as second-account/);
    await follow('Reconnect Sandbox (work)');
    await press('Allow');
    assert.match(await status(), /You chose a different account/);
    await follow('Replace the account');
    await page.getByText('A different account replaces it').waitFor();
    await follow('Cancel');
    await follow('Disconnect Sandbox (work)');
    await press(/^Disconnect/);
    assert.match(await status(), /Disconnected/);
  });

  test('sees calls arrive without reloading', async () => {
    await go('/calls');
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await press('Play a demo call');
    const rows = page.locator('table.calls tbody tr');
    await rows.first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    // Only a page that was reloaded would have lost this.
    await page.locator('body').evaluate((body) => body.setAttribute('data-stayed', ''));
    const simulated = stage.run('simulate', 'calls', '--count', '12');
    await rows.nth(11).waitFor();
    assert.equal((await simulated).code, 0, (await simulated).stderr);
    assert.notEqual(await page.locator('body').getAttribute('data-stayed'), null);
  });

  test('plays a recording on the page', async () => {
    const recorded = page.locator('table.calls tr', { has: page.locator('.play') }).first();
    await recorded.waitFor({ timeout: 60_000 });
    await recorded.locator('.caller a').click();
    await page.getByText('What happened, step by step').waitFor();
    const audio = page.locator('audio').first();
    await audio.evaluate((player) => player.play());
    await waitUntil('it plays', () => audio.evaluate((player) => player.currentTime > 0));
    assert.equal(await audio.evaluate((player) => player.error), null);
  });

  test('filters calls and marks one as returned', async () => {
    await go('/calls?waiting=1');
    await page.locator('table.calls tbody tr').first().locator('.caller a').click();
    await press('Mark as returned');
    assert.match(await status(), /Marked as returned/);
  });

  test('follows the link they press even if its row changes before they let go', async () => {
    const [colleague, witness] = [await context.newPage(), await context.newPage()];
    await colleague.goto(`${stage.url}/calls?waiting=1`);
    await colleague.locator('table.calls tbody tr').first().locator('.caller a').click();
    await colleague.waitForURL(/\/calls\/./);
    const link = `a[href="${new URL(colleague.url()).pathname}"]`;
    await Promise.all([go('/calls'), witness.goto(`${stage.url}/calls`)]);
    for (const watching of [page, witness]) await watching.getByText('Live', { exact: true }).waitFor();
    await page.locator(link).hover();
    await page.mouse.down();
    await press('Mark as returned', colleague);
    await witness
      .locator('table.calls tr', { has: witness.locator(link) })
      .getByText('Returned', { exact: true })
      .waitFor();
    await page.mouse.up();
    await page.getByText('What happened, step by step').waitFor();
    await Promise.all([colleague.close(), witness.close()]);
  });

  test("reads last week's report", async () => {
    const { code, stderr } = await stage.run('report', 'run', '--week', lastFinishedWeek(Date.now(), 'UTC'));
    assert.equal(code, 0, stderr);
    await go('/reports');
    await page.locator('table.weeks tbody a').first().click();
    await page.waitForURL(/\/reports\/\d{4}-W\d{2}/);
    const widths: number[] = await page
      .locator('main img')
      .evaluateAll((images) => Promise.all(images.map((image) => image.decode().then(() => image.naturalWidth))));
    assert.equal(widths.length, 2);
    assert.ok(
      widths.every((width) => width > 0),
      String(widths),
    );
  });

  test('creates an access token that works', async () => {
    await go('/settings/tokens');
    await page.getByLabel('Name', { exact: true }).fill('from a browser');
    await press('Create token');
    const token = await page.locator('pre.copy').first().innerText();
    const used = await page.evaluate(
      async (bearer) => (await fetch('/api/team', { headers: { authorization: `Bearer ${bearer}` } })).status,
      token.trim(),
    );
    assert.equal(used, 200);
    await go('/settings/tokens');
    assert.equal((await page.content()).includes(token.trim()), false);
  });

  test('can do all of that without JavaScript', async () => {
    const { stdout } = await stage.run('user', 'link', 'admin@localhost');
    const link = /http:\S+/.exec(stdout)?.[0] ?? '';
    const plain = await stage.newContext({ javaScriptEnabled: false });
    const quiet = await plain.newPage();
    await signIn(quiet, link);
    await quiet.goto(`${stage.url}/settings`);
    await quiet.getByLabel('Name', { exact: true }).fill('Acme');
    await press('Save', quiet);
    assert.match(await status(quiet), /saved|changed/i);
    await quiet.goto(`${stage.url}/integrations/sandbox`);
    await follow(/^Disconnect/, quiet);
    await press(/^Disconnect/, quiet);
    assert.match(await status(quiet), /Disconnected/);
    await quiet.goto(`${stage.url}/calls`);
    assert.ok((await quiet.locator('table.calls tbody tr').count()) >= 12);
    await plain.close();
  });

  test('gets around with only the keyboard', async () => {
    /** Presses Tab until this one has the focus. */
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let step = 0; step < 60; step++) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        const words = (await focused.count()) === 1 ? await focused.innerText() : '';
        if (name.test(words)) return;
      }
      assert.fail(`Tab doesn't reach anything named ${name}.`);
    };
    await go('/');
    await tabTo(/Skip to content/);
    await tabTo(/^Calls$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/calls$/);
    await tabTo(/^Filter$/);
    await page.keyboard.press('Enter');
    await page.getByLabel('Outcome').waitFor();
    await go('/settings/tokens');
    await tabTo(/^Revoke/);
    await page.keyboard.press('Enter');
    await tabTo(/^Cancel$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/tokens$/);
  });

  test('signs out and has to sign in again', async () => {
    await go('/');
    await page.locator('.who summary').click();
    await press('Sign out');
    await page.waitForURL(/\/sign-in/);
    await go('/settings');
    await page.waitForURL(/\/sign-in\?returnTo=%2Fsettings/);
  });

  test('sees no page that violates its content security policy', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
