import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { waitUntil } from '../harness/wait-until.ts';
import { findViolations } from './find-violations.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

const LONGEST_NAME = `${'Donaudampfschifffahrtsgesellschaft '.repeat(2)}${'W'.repeat(30)}`;
const LONGEST_LABEL = 'W'.repeat(100);

describe('the list of calls in a browser', () => {
  let stage: BrowserStage;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    stage = await openBrowserStage();
    const simulated = await stage.run('simulate', 'calls', '--count', '30', '--seed', '7');
    assert.equal(simulated.code, 0, simulated.stderr);
    context = await stage.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    await signIn(page, stage.link);
  });

  after(() => stage.close());

  const go = (path: string) => page.goto(`${stage.url}${path}`);
  const rows = () => page.locator('table.calls tbody tr:not(.player)');
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  const waitingCount = async (): Promise<number> =>
    Number(
      (await page
        .locator('.tabs a', { hasText: 'Needs a call back' })
        .locator('.count')
        .textContent({ timeout: 1_000 })
        .catch(() => '0')) ?? '0',
    );

  test('plays a recording in its row, and loads it only then', async () => {
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('/audio') && asked.push(request.url())));
    await waitUntil('a recording is archived', async () => {
      await go('/calls?outcome=voicemail');
      return (await page.locator('.play[data-play]').count()) > 0;
    });
    assert.deepEqual(asked, []);
    const play = page.locator('.play[data-play]').first();
    const [minutes = 0, seconds = 0] = ((await play.innerText()).match(/\d+/g) ?? []).map(Number);
    await play.click();
    const audio = page.locator('.player audio');
    await waitUntil('it plays', () => audio.evaluate((player) => player.currentTime > 0));
    assert.equal(asked.length > 0, true);
    const length = await audio.evaluate((player) => player.duration);
    assert.ok(Math.abs(length - (minutes * 60 + seconds)) < 1, `It says ${minutes}:${seconds} and lasts ${length} s.`);
    await play.click();
    assert.equal(await audio.count(), 0);
  });

  test('marks one caller as returned and takes that back', async () => {
    await go('/calls?waiting=1');
    const before = await waitingCount();
    assert.equal(await rows().count(), Math.min(before, 30));
    await press(/^Mark as returned/);
    await page.getByText('Marked as returned: (555)').waitFor();
    assert.equal(await waitingCount(), before - 1);
    await press('Undo');
    await page.getByText('Undone.').waitFor();
    assert.equal(await waitingCount(), before);
    await page.reload();
    assert.equal(await page.getByText('Undone.').count(), 0);
  });

  test('adds who calls to those who need a call back, each once', async () => {
    await go('/calls?waiting=1');
    const first = rows().first();
    const [id, count, markup] = [await first.getAttribute('id'), await rows().count(), await first.innerHTML()];
    const [at, caller] = [Number(await first.getAttribute('data-at')), await first.getAttribute('data-caller')];
    const row = (name: string, later: number, from: string | null, tabs = 'all waiting'): string =>
      `<tr id="call-${name}" data-at="${at + later}" data-tabs="${tabs}" data-caller="${from}">${markup}</tr>`;
    const sent = [
      row('again', 2_000, caller),
      row('before', -1_000, caller),
      row('someone', 1_000, '+15557654321'),
      row('answered', 3_000, '+15557654322', 'all answered'),
    ];
    const events = sent.map((one) => `event: call\nid: 1\ndata: ${one.replaceAll('\n', '\ndata: ')}\n\n`);
    await page.route('**/calls/live*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `retry: 60000\n\n${events.join('')}` }),
    );
    await go('/calls?waiting=1');
    await page.locator('#call-someone').waitFor();
    await page.unroute('**/calls/live*');
    const ids = await rows().evaluateAll((all) => all.map((one) => one.id));
    assert.deepEqual(ids.slice(0, 2), ['call-again', 'call-someone']);
    assert.deepEqual([ids.length, ids.includes(id ?? '')], [count + 1, false]);
  });

  test('finds callers as the search is submitted, from the keyboard', async () => {
    await go('/calls');
    const number = (await page.locator('.caller .phone').first().getAttribute('title')) ?? '';
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type(number.slice(-4));
    await page.keyboard.press('Enter');
    await page.waitForURL(/search=/);
    assert.ok((await rows().count()) > 0);
    for (const title of await page.locator('.caller .phone').evaluateAll((all) => all.map((one) => one.title)))
      assert.ok(title.endsWith(number.slice(-4)), title);
  });

  test('marks everyone who is selected, also without JavaScript', async () => {
    const plain = await stage.newContext({ javaScriptEnabled: false });
    const quiet = await plain.newPage();
    const { stdout } = await stage.run('user', 'link', 'admin@localhost');
    await signIn(quiet, /http:\S+/.exec(stdout)?.[0] ?? '');
    await quiet.goto(`${stage.url}/calls?outcome=voicemail`);
    await quiet.locator('.play').first().click();
    await quiet.locator('#recordings audio').first().waitFor();
    await quiet.goto(`${stage.url}/calls?waiting=1`);
    const boxes = quiet.locator('.pick input');
    const before = await boxes.count();
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await quiet.getByRole('button', { name: 'Mark selected as returned' }).click();
    await quiet.getByText('2 callers are marked as returned.').waitFor();
    assert.equal(await boxes.count(), before - 2);
    await plain.close();
    await go('/calls?waiting=1');
    await page.getByLabel('Select all').check();
    await press('Mark selected as returned');
    await page.getByText("You're all caught up").waitFor();
    // The page learns that they wait again before the response is there, and must not reload instead of showing it.
    await page.route('**/calls/reopened', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      await sleep(1_000);
      await route.fulfill({ response });
    });
    await press('Undo');
    await page.getByText('Undone.').waitFor();
    await waitUntil('they are back', async () => (await rows().count()) === before - 2);
    await page.unrouteAll();
  });

  test('keeps the time of every step on one line, on a phone', async () => {
    const narrow = await stage.newContext({ locale: 'en-US', viewport: { width: 390, height: 844 } });
    const phone = await narrow.newPage();
    const { stdout } = await stage.run('user', 'link', 'admin@localhost');
    await signIn(phone, /http:\S+/.exec(stdout)?.[0] ?? '');
    await phone.goto(`${stage.url}/calls?outcome=voicemail`);
    await phone.locator('table.calls tbody a').first().click();
    await phone.getByText('What happened, step by step').click();
    const times = phone.locator('.story time');
    assert.ok((await times.count()) > 2);
    const lines = await times.evaluateAll((all) => {
      // The longest there is.
      for (const one of all) one.textContent = '12:58:58 AM';
      return all.map((one) => {
        const range = one.ownerDocument.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      });
    });
    assert.deepEqual(new Set(lines), new Set([1]));
    await narrow.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`fits 320 px with the longest values and passes axe in ${colorScheme} mode`, async () => {
      const narrow = await stage.newContext({ colorScheme, viewport: { width: 320, height: 700 } });
      const phone = await narrow.newPage();
      const { stdout } = await stage.run('user', 'link', 'admin@localhost');
      await signIn(phone, /http:\S+/.exec(stdout)?.[0] ?? '');
      const found: string[] = [];
      for (const path of [
        '/calls',
        '/calls?waiting=1',
        '/calls?outcome=voicemail',
        '/calls?search=5&since=2026-01-01',
      ]) {
        await phone.goto(`${stage.url}${path}`);
        // What a provider and the team's admins could have written at most.
        for (const [selector, text] of [
          ['.caller a', LONGEST_NAME],
          ['.line', LONGEST_LABEL],
        ] as const)
          await phone.locator(selector).evaluateAll((all, words) => {
            for (const one of all) one.textContent = words;
          }, text);
        const play = phone.locator('.play[data-play]').first();
        if ((await play.count()) > 0) await play.click();
        for (const width of [320, 390, 900, 1_200]) {
          await phone.setViewportSize({ width, height: 700 });
          const overflow = await phone.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
          if (overflow > 0) found.push(`${path}: ${overflow} px too wide at ${width} px`);
        }
        for (const violation of await findViolations(phone)) found.push(`${path}: ${violation}`);
        await phone.setViewportSize({ width: 320, height: 700 });
      }
      await narrow.close();
      assert.deepEqual(found, []);
    });

  test('breaks no rule of its own page', () => assert.deepEqual(stage.complaints, []));
});
