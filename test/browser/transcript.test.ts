import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findHeadlessShell } from '../../scripts/find-chromium.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ORIGIN = 'http://localhost:3998';
const FOLLOW = readFileSync(new URL('../../src/dashboard/calls/follow.js', import.meta.url), 'utf8');
const RATE = 8_000;
const SECONDS = 6;

/** Silence as a WAV file. */
const makeSilence = (): Buffer => {
  const file = Buffer.alloc(44 + RATE * SECONDS, 128);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, RATE],
    [28, RATE],
    [40, RATE * SECONDS],
  ] as const)
    file.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    file.writeUInt16LE(value, at);
  file.write('data', 36);
  return file;
};

const PAGE = `<!doctype html><title>t</title><audio id="audio-r" controls preload="none" src="/audio.wav"></audio>
<p class="words" data-follows="audio-r"><span data-start="0" data-end="2">First</span> <span data-start="2" data-end="4">second</span></p>
<script type="module" src="/follow.js"></script>`;

describe('a transcript in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    browser = await chromium.launch({ executablePath: findHeadlessShell(), args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      const policy = { 'content-security-policy': "default-src 'self'; script-src 'self'; style-src 'self'" };
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: PAGE, headers: policy });
      if (pathname === '/follow.js') return route.fulfill({ contentType: 'text/javascript', body: FOLLOW });
      return pathname === '/audio.wav'
        ? route.fulfill({ contentType: 'audio/wav', body: makeSilence() })
        : route.abort();
    });
    await page.goto(`${ORIGIN}/`);
  });

  after(() => browser.close());

  const said = (): Promise<string[]> => page.locator('.said').allInnerTexts();

  test('follows the playback, and plays from where somebody clicks', async () => {
    assert.deepEqual(await said(), []);
    await page.getByText('second').click();
    await waitUntil('it plays', () => page.locator('audio').evaluate((audio) => audio.currentTime >= 2));
    await waitUntil('the words are marked', async () => (await said()).join() === 'second');
    await page.locator('audio').evaluate((audio) => {
      audio.pause();
      audio.currentTime = 1;
    });
    await waitUntil('the words follow', async () => (await said()).join() === 'First');
    await page.locator('audio').evaluate((audio) => {
      audio.currentTime = 3;
      return audio.play();
    });
    await waitUntil('it goes on', async () => (await said()).join() === 'second');
    await waitUntil('nothing is being said', async () => (await said()).length === 0);
    assert.deepEqual(complaints, []);
  });
});
