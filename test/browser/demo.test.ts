import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../harness/wait-until.ts';
import { findViolations } from './find-violations.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

describe('a newcomer who tries the demo', () => {
  let stage: BrowserStage;
  let page: Page;

  before(async () => {
    stage = await openBrowserStage();
    page = await (await stage.newContext({ reducedMotion: 'reduce' })).newPage();
    await signIn(page, stage.link);
  });

  after(() => stage.close());

  const go = (path: string) => page.goto(`${stage.url}${path}`);
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click();
  const textOf = async (path: string): Promise<string> => {
    await go(path);
    return page.locator('main').innerText();
  };
  const rows = () => page.locator('table.calls tbody tr:not(.player)');

  const playDemo = async (): Promise<void> => {
    await go('/calls');
    await press('Play a demo call');
    await page.locator('.play[data-play]').first().waitFor({ timeout: 60_000 });
  };

  const openAlerts = async (): Promise<number> => {
    await go('/');
    const count = page.locator('.bell strong');
    return (await count.count()) === 0 ? 0 : Number.parseInt(await count.innerText(), 10);
  };

  test('hears a message with the first call', async () => {
    await go('/settings/alerts');
    await page.getByLabel('A voicemail arrived, by email').check();
    await press('Save');
    await playDemo();
    assert.match(await rows().first().innerText(), /demo call[\s\S]*Voicemail/);
    await page.locator('.play[data-play]').first().click();
    const audio = page.locator('.player audio');
    await waitUntil('it plays', () => audio.evaluate((player) => player.currentTime > 0));
  });

  test('reads what was said in it, in the list and beside the player', async () => {
    await go('/calls');
    const said = await page.locator('.heard-line q').first().innerText();
    assert.ok(said.length > 10, said);
    await follow(/\(555\)/);
    await page.getByText('What a machine heard').waitFor();
    assert.match(await page.locator('.transcript .words').innerText(), new RegExp(said.slice(0, 10)));
    assert.deepEqual(await findViolations(page), []);
  });

  test('removes it without a trace', async () => {
    await waitUntil('there is an alert', async () => (await openAlerts()) === 1);
    await go('/calls');
    await follow('Remove demo calls');
    await press('Remove demo calls');
    assert.equal(await openAlerts(), 0);
    assert.match(await textOf('/alerts'), /Nothing is open\./);
    assert.match(await textOf('/calls'), /No calls yet/);
  });

  test('dismisses an alert', async () => {
    await playDemo();
    await waitUntil('there is an alert', async () => (await openAlerts()) === 1);
    await go('/alerts');
    assert.deepEqual(await findViolations(page), []);
    await press(/^Dismiss.*Voicemail from/);
    await page.getByText('Alert dismissed.').waitFor();
    assert.equal(await openAlerts(), 0);
  });

  test('still has to add a number of their own, and to an account of their own', async () => {
    const steps = page.locator('.checklist li');
    await go('/');
    assert.equal(await steps.filter({ hasText: 'Add a phone number, done' }).count(), 0);
    const overview = await textOf('/settings/telephony');
    assert.match(overview, /Three steps to your first call[\s\S]*Twilio\s+Demo/);
    assert.match(await textOf('/settings/telephony/numbers/new'), /belongs to a telephony account, so add that first/);
    await follow('Add an account');
    await follow('Twilio');
    await page.getByLabel('Account SID').fill(`AC${'0123456789abcdef'.repeat(2)}`);
    await page.getByLabel('Auth token').fill('fedcba9876543210'.repeat(2));
    await press('Add account');
    await page.getByText('Account added.').waitFor();
    assert.deepEqual(await findViolations(page), []);
    await go('/settings/telephony/numbers/new');
    assert.deepEqual(await page.getByLabel('Account', { exact: true }).locator('option').allInnerTexts(), [
      `Twilio AC${'0123456789abcdef'.repeat(2)}`,
    ]);
    assert.deepEqual(await findViolations(page), []);
    await page.getByLabel('Number', { exact: true }).fill('+15551230001');
    await press('Add number');
    await page.getByText('Number added.').waitFor();
    assert.deepEqual(await findViolations(page), []);
    await go('/settings/telephony');
    assert.deepEqual(await findViolations(page), []);
    await go('/');
    assert.equal(await steps.filter({ hasText: 'Add a phone number, done' }).count(), 1);
  });

  test('has nobody to call back once there is an account of their own', async () => {
    await waitUntil('the week is counted without it', async () =>
      /Calls to return\s+0\b[\s\S]*You're all caught up\./.test(await textOf('/')),
    );
    assert.match(await textOf('/calls?waiting=1'), /Nobody is waiting for a call back/);
    await go('/calls');
    assert.equal(await page.getByRole('button', { name: /^Mark as returned/ }).count(), 0);
    await rows().first().locator('.caller a').click();
    await page.getByText('What happened, step by step').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Mark as returned/ }).count(), 0);
  });

  test('ticks off who gets the report by saving the default, and dismisses the list', async () => {
    await go('/settings/report');
    await press('Save');
    await page.getByText('Settings saved.').waitFor();
    await go('/');
    await page.locator('.checklist li', { hasText: 'Choose who gets the weekly report, done' }).waitFor();
    await press('Dismiss this list');
    await page.getByText('The list is dismissed').waitFor();
    assert.equal(await page.locator('.checklist').count(), 0);
  });

  test('sees no page that violates its content security policy', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
