import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolations } from './find-violations.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

const PHONE = { width: 360, height: 740 };

describe('the first page', () => {
  let stage: BrowserStage;
  let page: Page;

  before(async () => {
    stage = await openBrowserStage();
    page = await (await stage.newContext({ timezoneId: 'America/Chicago', viewport: PHONE })).newPage();
  });

  after(() => stage.close());

  const press = (name: string) => page.getByRole('button', { name }).click();
  const title = () => page.getByRole('heading', { level: 1 }).innerText();
  const zone = () => page.getByLabel('Time zone').inputValue();
  const isWider = () => page.locator('html').evaluate((root) => root.scrollWidth > root.clientWidth);
  const expectSound = async (): Promise<void> => {
    assert.deepEqual(await findViolations(page), []);
    assert.equal(await isWider(), false, 'It never scrolls sideways.');
  };

  test("welcomes, and suggests the browser's time zone", async () => {
    await signIn(page, stage.link);
    assert.equal(await title(), 'Welcome. What should we call your team?');
    assert.equal(await page.getByLabel('Team name').inputValue(), 'First team');
    assert.equal(await zone(), 'America/Chicago');
    assert.match(
      await page.getByLabel('Time zone').locator('option:checked').innerText(),
      /America\/Chicago \(your browser's\)/,
    );
    await expectSound();
  });

  test('keeps what was chosen when something else is wrong', async () => {
    await page.getByLabel('Team name').fill('   ');
    await page.getByLabel('Time zone').selectOption('Europe/Vienna');
    await press('Continue');
    await page.getByText('Your team needs a name of up to 200 characters.').waitFor();
    assert.equal(await zone(), 'Europe/Vienna');
    await expectSound();
  });

  test('leads to one first step, and to the rest', async () => {
    await page.getByLabel('Team name').fill('Example Ltd');
    await press('Continue');
    assert.equal(await title(), 'What would you like to do first?');
    assert.equal(await page.locator('main .button:not(.plain), main button:not(.plain)').count(), 1);
    await expectSound();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectSound();
    for (const [name, path] of [
      ['Set up a number', '/settings/telephony'],
      ['Choose a provider', '/integrations'],
      ['Start with the API', '/docs'],
      ['Skip', '/'],
    ] as const)
      assert.equal(await page.getByRole('link', { name, exact: true }).getAttribute('href'), path, name);
    await page.getByRole('link', { name: 'Skip', exact: true }).click();
    assert.equal(await title(), 'This week at Example Ltd');
    assert.match(await page.locator('main').innerText(), /Get started\s+0 of 4/);
    assert.doesNotMatch(await page.locator('main').innerText(), /caught up/);
    await page.goto(`${stage.url}/settings`);
    assert.deepEqual(
      [await page.getByLabel('Name').first().inputValue(), await zone()],
      ['Example Ltd', 'Europe/Vienna'],
    );
  });

  test('plays a voicemail with one click', async () => {
    await page.goto(`${stage.url}/welcome`);
    await press('Play a demo voicemail');
    assert.equal(new URL(page.url()).pathname, '/calls');
    await page.locator('.play[data-play]').first().waitFor();
    assert.match(await page.locator('table.calls tbody tr').first().innerText(), /demo call[\s\S]*Voicemail/);
  });

  test('is correct in the browser’s own eyes', () =>
    assert.deepEqual(
      stage.complaints.filter((one) => !one.includes('400 (Bad Request)')),
      [],
    ));
});
