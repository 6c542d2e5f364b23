import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { listPages } from '../../test/browser/list-pages.ts';
import { openBrowserStage } from '../../test/browser/stage.ts';
import type { Benchmark, Table, Tools } from '../benchmark.ts';
import { summarize } from '../summarize.ts';

const VISITS = 5;
const VIEWPORT = { width: 1280, height: 800 };
/** The last two columns are of an empty page, and show how long the browser itself takes, mostly to start a process. */
const COLUMNS = [
  { name: 'paint, ms', atMost: 300 },
  { name: 'long task', atMost: 50 },
  { name: 'shift', atMost: 0 },
  { name: 'KB' },
  { name: 'empty: paint' },
  { name: 'long task' },
];
/** How many of the columns are about the page itself. */
const OWN = 4;

/** Runs before the page's own scripts, and keeps what the browser measures while the page loads. */
const WATCH = `(() => {
  const seen = { paint: 0, task: 0, shift: 0 };
  window.measured = seen;
  const watch = (type, keep) =>
    new PerformanceObserver((list) => list.getEntries().forEach(keep)).observe({ type, buffered: true });
  watch('largest-contentful-paint', ({ startTime }) => (seen.paint = Math.max(seen.paint, startTime)));
  watch('longtask', ({ duration }) => (seen.task = Math.max(seen.task, duration)));
  watch('layout-shift', ({ value }) => (seen.shift += value));
})()`;

/** Reads the measurements a little after the page has loaded, when everything is painted. */
const READ = `new Promise((resolve) => setTimeout(() => {
  const bytes = performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0);
  resolve([window.measured.paint, window.measured.task, window.measured.shift, bytes / 1024]);
}, 250))`;

const EMPTY = '<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>';

/**
 * Serves a page with one word on it. The page has the same policy headers as ours, because they take time, too:
 * "Cross-Origin-Opener-Policy" makes Chromium start another process.
 */
const serveEmpty = async (cleanUp: Tools['cleanUp'], url: string): Promise<string> => {
  const policies = [...(await fetch(`${url}/sign-in`)).headers].filter(([name]) => name.endsWith('policy'));
  const server = createServer((_, response) => {
    response.setHeaders(new Map([...policies, ['content-type', 'text/html']])).end(EMPTY);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  cleanUp.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
};

type Stage = { browser: Browser; state: SignedIn; emptyUrl: string };

/** Opens a page in a browser that has nothing cached, and returns the measurements. */
const visit = async ({ browser, state }: Stage, url: string): Promise<number[]> => {
  const context = await browser.newContext({ storageState: state, viewport: VIEWPORT });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url, { waitUntil: 'load' });
  const measured = (await page.evaluate(READ)) as number[];
  await context.close();
  return measured;
};

type SignedIn = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;

const measurePage = async (stage: Stage, url: string, signal: AbortSignal) => {
  const visits: number[][] = [];
  for (let count = 0; count <= VISITS; count++) {
    signal.throwIfAborted();
    visits.push([...(await visit(stage, url)).slice(0, OWN), ...(await visit(stage, stage.emptyUrl))]);
  }
  // Leave out the first visit, in which the server compiles the code for the page.
  return COLUMNS.map((_, column) => summarize(visits.slice(1).map((values) => values[column] ?? Number.NaN)).median);
};

export const paint: Benchmark = {
  name: 'paint',
  about: 'every page in Chromium: when its largest part is painted, its longest task, and what moves',
  async run({ cleanUp, signal }: Tools): Promise<Table[]> {
    const stage = await openBrowserStage();
    cleanUp.defer(() => stage.close());
    const context = await stage.newContext();
    const page = await context.newPage();
    const paths = await listPages(stage, page);
    const visited = {
      browser: stage.browser,
      state: await context.storageState(),
      emptyUrl: await serveEmpty(cleanUp, stage.url),
    };
    const rows: Table['rows'][number][] = [];
    for (const [name, path] of Object.entries(paths))
      rows.push({ name, values: await measurePage(visited, `${stage.url}${path}`, signal) });
    return [
      {
        kind: 'table',
        title: `each page ${VISITS} times in a browser that has nothing cached, in turns with an empty one`,
        columns: COLUMNS,
        rows,
      },
    ];
  },
};
