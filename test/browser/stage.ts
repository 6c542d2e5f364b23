import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { findHeadlessShell } from '../../scripts/find-chromium.ts';
import { runProgram } from '../harness/run-command.ts';
import { makeDataDirectory, type Serving, startServe } from '../harness/serve-process.ts';

const ARGUMENTS = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'];

export type BrowserStage = {
  serving: Serving;
  /** The address that the browser sees. */
  url: string;
  browser: Browser;
  /** The sign-in link from the first start. */
  link: string;
  /** Violations of a page's own policy, and errors on it. */
  complaints: string[];
  newContext(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
  run(...args: string[]): ReturnType<typeof runProgram>;
  close(): Promise<void>;
};

/** The real program on a fresh directory, and a real browser in front of it. */
export const openBrowserStage = async (
  env: Record<string, string> = {},
  { args = [], ...launch }: LaunchOptions = {},
): Promise<BrowserStage> => {
  const directory = makeDataDirectory();
  const serving = await startServe({ PATCHBAY_DATA: directory.path, ...env });
  const browser = await chromium.launch({
    executablePath: findHeadlessShell(),
    ...launch,
    args: [...ARGUMENTS, ...args],
  });
  await serving.ready();
  const { stdout } = serving.output;
  const link = /http:\/\/localhost:\d+\/sign-in\/\S+/.exec(stdout)?.[0] ?? '';
  const complaints: string[] = [];
  const listen = (page: Page): void => {
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  };
  return {
    serving,
    url: `http://localhost:${serving.port}`,
    browser,
    link,
    complaints,
    async newContext(options = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(60_000);
      context.on('page', listen);
      return context;
    },
    run: (...args) => runProgram(args, { PATCHBAY_DATA: directory.path, PORT: String(serving.port), ...env }),
    async close() {
      await browser.close();
      await serving.end('SIGTERM');
      directory.remove();
    },
  };
};

/** Signs in the way a person does: opens the link and presses the button. */
export const signIn = async (page: Page, link: string): Promise<void> => {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((address) => !address.pathname.startsWith('/sign-in'));
};
