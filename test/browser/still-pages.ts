import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findHeadlessShell } from '../../scripts/find-chromium.ts';
import { type DashboardPage, framePage } from '../../src/dashboard/frame.ts';
import type { Person } from '../../src/dashboard/person.ts';
import { DASHBOARD_STYLES } from '../../src/dashboard/styles.ts';
import { findViolations } from './find-violations.ts';

const ORIGIN = 'http://localhost:3999';
const FRAME_STYLE = readFileSync(new URL('../../src/http/pages/page.css', import.meta.url), 'utf8');
const STYLES = [FRAME_STYLE, ...DASHBOARD_STYLES].join('\n');

/** The narrowest phone. */
const NARROW = { width: 320, height: 700 };
const WIDE = { width: 1200, height: 900 };

/** What is wider than the screen. The frame around the page is the same everywhere, and has its own tests. */
const FIND_WIDEST = `(() => {
  document.querySelector('.masthead').style.display = 'none';
  const root = document.documentElement;
  const sticksOut = (one) => one.getBoundingClientRect().right > root.clientWidth;
  const all = root.scrollWidth > root.clientWidth ? [...document.querySelectorAll('main *')].filter(sticksOut) : [];
  const names = all.filter((one) => ![...one.children].some(sticksOut)).map((one) => one.outerHTML.slice(0, 80));
  document.querySelector('.masthead').style.display = '';
  return names.slice(0, 5);
})()`;

/** As the server would send it. */
const print = (person: Person, path: string, page: DashboardPage): string => {
  let sent = '';
  const reply = { code: () => reply, type: () => reply, send: (body: string) => (sent = body) };
  framePage(reply as unknown as FastifyReply, { person, path, openAlerts: 0, paused: null }, page);
  return sent;
};

type Still = {
  person: Person;
  path: string;
  page: DashboardPage;
  /** What the page loads, by path. */
  drawings?: Readonly<Record<string, string>>;
};

/** Pages from made-up views, without a service behind them: every state, with the longest values. Nothing runs on them. */
export const openStillPages = async () => {
  const browser: Browser = await chromium.launch({ executablePath: findHeadlessShell(), args: ['--no-sandbox'] });

  let shots = 0;

  const open = async (page: Page, { person, path, page: shown, drawings = {} }: Still): Promise<void> => {
    await page.unrouteAll();
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      const drawing = drawings[pathname];
      if (pathname === path) return route.fulfill({ contentType: 'text/html', body: print(person, path, shown) });
      if (pathname === '/assets/patchbay.css') return route.fulfill({ contentType: 'text/css', body: STYLES });
      return drawing ? route.fulfill({ contentType: 'image/svg+xml', body: drawing }) : route.abort();
    });
    await page.goto(`${ORIGIN}${path}`);
  };

  return {
    close: () => browser.close(),
    /** What is wrong with a page in light and dark mode, on the narrowest phone and on a desk. */
    async findFlaws(still: Still): Promise<string[]> {
      const flaws: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ colorScheme, viewport: WIDE });
        const page = await context.newPage();
        await open(page, still);
        const pictures = process.env['PICTURES'];
        for (const viewport of [WIDE, NARROW]) {
          await page.setViewportSize(viewport);
          const where = `${colorScheme}, ${viewport.width} px`;
          const widest = (await page.evaluate(FIND_WIDEST)) as string[];
          if (widest.length > 0) flaws.push(`${where}: too wide: ${widest.join(', ')}`);
          for (const violation of await findViolations(page)) flaws.push(`${where}: ${violation}`);
          if (pictures)
            await page.screenshot({
              path: `${pictures}-${shots++}-${colorScheme}-${viewport.width}.png`,
              fullPage: true,
            });
        }
        await context.close();
      }
      return flaws;
    },
    /** How wide an email is on the narrowest phone, in clients that drop style sheets. */
    async measureMail(markup: string): Promise<number> {
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: NARROW });
      const page = await context.newPage();
      await page.setContent(markup.replace(/<style>.*?<\/style>/gs, ''));
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      await context.close();
      return width;
    },
    /** What a script finds out on it, on a screen of this width. */
    async measure(still: Still, width: number, script: string): Promise<unknown> {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await context.newPage();
      await open(page, still);
      const found = await page.evaluate(script);
      await context.close();
      return found;
    },
    /** What someone reads on it, without JavaScript. */
    async read(still: Still): Promise<string> {
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: WIDE });
      const page = await context.newPage();
      await open(page, still);
      const text = await page.locator('main').innerText();
      await context.close();
      return text;
    },
  };
};

export type StillPages = Awaited<ReturnType<typeof openStillPages>>;
