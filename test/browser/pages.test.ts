import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findViolations } from './find-violations.ts';
import { listPages } from './list-pages.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

/** How far visible content moved while the page loaded, as browsers measure it. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: 'layout-shift', buffered: true });
  const sum = () => resolve(observer.takeRecords().reduce((total, { value }) => total + value, 0));
  requestAnimationFrame(() => setTimeout(sum, 20));
})`;

describe('every page', () => {
  let stage: BrowserStage;
  let paths: Readonly<Record<string, string>>;

  before(async () => {
    stage = await openBrowserStage();
    const page = await (await stage.newContext()).newPage();
    paths = await listPages(stage, page);
    await page.context().close();
  });

  after(() => stage.close());

  test("passes axe in light and dark mode, fits a phone, and doesn't shift while loading", async () => {
    // Colors would otherwise fade from light to dark while axe looks.
    const context = await stage.newContext({ reducedMotion: 'reduce', viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    const { stdout } = await stage.run('user', 'link', 'admin@localhost');
    const link = /http:\S+/.exec(stdout)?.[0] ?? '';
    const found: string[] = [];
    const look = async (name: string): Promise<void> => {
      const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
      if (overflow > 0) found.push(`${name}: ${overflow} px wider than a phone`);
      const shift = Number(await page.evaluate(LAYOUT_SHIFT));
      if (shift > 0) found.push(`${name}: what was there already has moved by ${shift}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findViolations(page)) found.push(`${name}, ${colorScheme}: ${violation}`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    };
    await page.goto(`${stage.url}/sign-in`);
    await look('sign-in');
    await page.goto(link);
    await look('sign-in link');
    await signIn(page, link);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${stage.url}${path}`);
      await look(name);
    }
    await context.close();
    assert.deepEqual(found, []);
  });

  test('the first page is small, and requests everything at once', async () => {
    const context = await stage.newContext();
    const page = await context.newPage();
    const { stdout } = await stage.run('user', 'link', 'admin@localhost');
    await signIn(page, /http:\S+/.exec(stdout)?.[0] ?? '');
    const fresh = await context.newPage();
    const asked: { url: string; bytes: number }[] = [];
    fresh.on('requestfinished', async (request) => {
      const { responseHeadersSize, responseBodySize } = await request.sizes();
      asked.push({ url: request.url(), bytes: responseHeadersSize + responseBodySize });
    });
    await fresh.goto(`${stage.url}/`, { waitUntil: 'networkidle' });
    const bytes = asked.reduce((sum, one) => sum + one.bytes, 0);
    assert.ok(bytes <= 60 * 1024, `${bytes} bytes: ${JSON.stringify(asked)}`);
    // The page itself names everything it needs. Nothing that it loads loads anything else.
    const named = await fresh.locator('link[rel=stylesheet], script[src]').count();
    assert.equal(asked.length, 1 + named, JSON.stringify(asked));
    await context.close();
  });
});
