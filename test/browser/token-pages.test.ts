import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { keyRecords } from '../harness/keys-stage.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { startApi } from '../harness/proxy-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { findViolations } from './find-violations.ts';
import { openBrowserStage, signIn } from './stage.ts';

const ADMIN_TOKEN = 'admin-token-of-the-token-pages-0123456789-01';
const KEYS = 'k1:qLTtYJGy1gGzW3hVZ5O1Yw8dFfJ7i4b0cQmR2xNn9kE=';
const WIDTHS = [1280, 390];
const LONG_PATH = `/${'W'.repeat(999)}`;

describe('the pages of tokens and what they ask for, on a desk and on a phone', () => {
  const api = useStage(startApi);
  const file = useStage(async () => {
    const written = writeProviderFile(keyRecords(api.url).filter(({ id }) => id === 'keyed'));
    return { path: written.path, close: written.remove };
  });
  const stage = useStage(() =>
    openBrowserStage({ PATCHBAY_PROVIDERS: file.path, PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN, PATCHBAY_KEYS: KEYS }),
  );
  const browser = prepare(async () => {
    const context = await stage.newContext({ reducedMotion: 'reduce' });
    return { page: await context.newPage() };
  });
  let page: Page;
  let approval: string;

  const ask = async (method: string, path: string, body: object, token = ADMIN_TOKEN) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${stage.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as { token: string; approval: { id: string } };
  };

  const tooWide = () => page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);

  const goAtEachWidth = async (path: string, look: (width: number) => Promise<void>): Promise<void> => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${stage.url}${path}`);
      assert.equal(await tooWide(), 0, `${path} at ${width} px`);
      assert.deepEqual(await findViolations(page), []);
      await look(width);
    }
  };

  before(async () => {
    page = browser.page;
    await signIn(page, stage.link);
    await ask('PUT', '/api/integrations/keyed/key', { fields: { api_key: 'secret-key' } });
    const allow = { provider: 'keyed', connection: 'default' };
    const many = Array.from({ length: 60 }, (_, at) => `/repos/acme/site-${at}/issues`);
    for (const [name, paths] of [
      ['Claude on my laptop', ['/me']],
      ['a long path', [LONG_PATH]],
      ['W'.repeat(200), many],
    ] as const)
      await ask('POST', '/api/tokens', { name, allow: [{ ...allow, paths }] });
    const { token } = await ask('POST', '/api/tokens', {
      ...{ name: 'Claude on my laptop, for the issues of the web site', writes: 'ask' },
      allow: [{ ...allow, paths: [LONG_PATH, ...many] }],
    });
    const parked = await ask('POST', '/api/integrations/keyed/proxy/repos/acme/issues', { title: 'Seven' }, token);
    approval = parked.approval.id;
  });

  test('keep the whole table in view, however long the paths are, and break no name in a word', async () => {
    await goAtEachWidth('/settings/tokens', async (width) => {
      const region = page.getByRole('region', { name: 'Access tokens' });
      assert.equal(await region.evaluate((one) => one.scrollWidth - one.clientWidth), 0);
      const heads = page.locator('table.tokens tbody th');
      const name = heads.filter({ hasText: /^Claude on my laptop$/ });
      const lines = await name.evaluate((cell) => {
        const range = cell.ownerDocument.createRange();
        range.setStart(cell.firstChild, 0);
        range.setEnd(cell.firstChild, 'Claude'.length);
        return range.getClientRects().length;
      });
      assert.equal(lines, 1, 'The first word is on one line.');
      for (const link of await page.getByRole('link', { name: /^Revoke/ }).all()) {
        const box = await link.boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
      }
      await page.locator('table.tokens summary').last().click();
      assert.equal(await region.evaluate((one) => one.scrollWidth - one.clientWidth), 0);
    });
  });

  test('show every choice in full, and the time to wait only for a token that asks', async () => {
    await goAtEachWidth('/settings/tokens?preset=ask#new', async () => {
      const access = page.getByLabel('What it may do there');
      const wait = page.getByLabel('How long a request waits');
      for (const value of ['read', 'ask', 'everything']) {
        await access.selectOption(value);
        assert.equal(await wait.isVisible(), value === 'ask');
        const { text, room } = await access.evaluate((select) => {
          const { font, paddingLeft, paddingRight } = select.ownerDocument.defaultView.getComputedStyle(select);
          const context = select.ownerDocument.createElement('canvas').getContext('2d');
          context.font = font;
          const arrow = 24;
          const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow;
          return { text: context.measureText(select.selectedOptions[0].text).width, room };
        });
        assert.ok(text <= room, `${value} needs ${text} px of ${room}`);
      }
    });
  });

  test('refuse a choice without its provider at the field, and keep what was filled in', async () => {
    await page.goto(`${stage.url}/settings/tokens?preset=ask`);
    await page.getByLabel('Name').fill('incomplete');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('alert').filter({ hasText: 'Choose the provider, or leave' }).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'incomplete');
    assert.equal(await page.getByLabel('What it may do there').inputValue(), 'ask');
    const place = page.getByLabel('Call a provider');
    const hint = page.locator(`#${await place.getAttribute('aria-describedby')}`);
    assert.match(await hint.innerText(), /^Choose the provider, or leave/);
    assert.equal(await tooWide(), 0);
    await place.selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText("It won't be shown again").waitFor();
    assert.match(await page.locator('.copy code').last().innerText(), /\/api\/integrations\/keyed\/proxy\/<path>'$/);
  });

  test('fit an approval, and the alert about it', async () => {
    await goAtEachWidth(`/approvals/${approval}`, async () => {
      assert.ok(await page.getByRole('button', { name: 'Approve and send' }).isVisible());
    });
    await waitUntil('the alert is open', async () => {
      await page.goto(`${stage.url}/alerts`);
      return (await page.getByText('Claude on my laptop, for').count()) > 0;
    });
    await goAtEachWidth('/alerts', async () => undefined);
    await page.goto(`${stage.url}/approvals/${approval}`);
    await page.getByRole('link', { name: 'Claude on my laptop, for' }).click();
    assert.equal(await page.locator('tr:target th').innerText(), 'Claude on my laptop, for the issues of the web site');
    assert.deepEqual(
      stage.complaints.filter((line) => !line.includes('400')),
      [],
    );
  });
});
