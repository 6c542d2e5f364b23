import type { Page } from 'playwright-core';
import { type CustomerTeam, Patchbay } from '../../packages/client/src/index.ts';
import { findChromium } from '../../scripts/find-chromium.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { startSecludedProvider } from './secluded-provider.ts';
import { openBrowserStage } from './stage.ts';
import { startStrictProduct } from './strict-product.ts';

export const OPERATOR_TOKEN = 'operator-token-of-the-browser-tests-0123456789';
export const ADMIN_TOKEN = 'admin-token-of-the-browser-tests-0123456789-01';

/** Chromium as it will be: without cookies of other sites, and with its own opinion about popups. */
const LAUNCH = {
  args: ['--test-third-party-cookie-phaseout'],
  ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-back-forward-cache'],
};

/** What became of a promise on the page: a result, or what is known about an error. */
export type Told = {
  outcome?: string;
  connection?: string;
  account?: { label: string };
  previousAccount?: { id: string; label: string } | null;
  code?: string;
  status?: number;
  requestId?: string;
};

/** Patchbay, a product on another site that embeds it, and a browser. */
export const openConnectStage = async () => {
  const product = await startStrictProduct();
  const provider = await startSecludedProvider();
  const stage = await openBrowserStage(
    {
      ...provider.env,
      PATCHBAY_OPERATOR_TOKEN: OPERATOR_TOKEN,
      PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN,
      PATCHBAY_RETURN_ORIGINS: product.origin,
    },
    { ...LAUNCH, executablePath: findChromium() },
  );
  product.embed(stage.url);
  const patchbay = new Patchbay({ url: stage.url, token: OPERATOR_TOKEN });
  /** Everything that a page requested, and what it said about itself. */
  const addresses: string[] = [];
  let teams = 0;

  const newCustomer = async () => {
    const team = patchbay.team(`customer-${++teams}`);
    await team.put({ name: 'Acme' });
    return { team, session: await team.createSession({ user: { key: 'u1', name: 'Ann' } }) };
  };

  return {
    ...stage,
    product,
    addresses,
    newCustomer,
    /** A customer of its own for each test, whose user is signed in to the product. */
    async begin() {
      const { team, session } = await newCustomer();
      product.signIn(session);
      const context = await stage.newContext();
      context.on('request', (request) => addresses.push(request.url(), request.headers()['referer'] ?? ''));
      return { team, context, session };
    },
    async close(): Promise<void> {
      await stage.close();
      await product.stop();
      await provider.stop();
    },
  };
};

/** The page's policy doesn't let Playwright's own way of waiting evaluate anything. */
export const waitFor = (page: Page, condition: string): Promise<void> =>
  waitUntil(condition, () => page.evaluate(`Boolean(${condition})`));

export const toldOn = async (page: Page, index = 0): Promise<Told> => {
  await waitFor(page, `window.told?.length > ${index}`);
  return page.evaluate(`told[${index}]`);
};

/** Lists what an event of the button says. */
export const listenFor = (page: Page, event: string): Promise<unknown> =>
  page.evaluate(`window.told = []; document.addEventListener('${event}', ({ detail }) => told.push({ ...detail }))`);

export const popupOf = async (page: Page, click: () => Promise<unknown>): Promise<Page> => {
  const [popup] = await Promise.all([page.context().waitForEvent('page'), click()]);
  return popup;
};

/** On the sandbox's own page. */
export const decide = async (popup: Page, answer: 'Allow' | 'Deny', account = /First account/): Promise<void> => {
  await popup.getByLabel(account).check();
  await popup.getByRole('button', { name: answer }).click();
};

export const accountsOf = async (team: CustomerTeam): Promise<string[]> =>
  (await team.integrations.status()).integrations
    .filter(({ status }) => status !== 'disconnected')
    .map(({ provider, connection }) => `${provider} ${connection}`);
