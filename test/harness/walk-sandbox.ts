import assert from 'node:assert/strict';
import { createBrowser, locationOf } from './browser.ts';

const fieldsOf = (page: string, answer: 'allow' | 'deny'): URLSearchParams => {
  assert.ok(page.includes(`<button name="answer" value="${answer}"`), 'The page offers it.');
  const account = /name="account" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return new URLSearchParams({ account, answer });
};

/** From the plain link through the sandbox's consent page to the last page, as a browser does it. */
export const walkSandbox = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  { query = '', answer = 'allow' }: { query?: string; answer?: 'allow' | 'deny' } = {},
): Promise<Response> => {
  const browser = createBrowser();
  const link = await browser.visit(`${url}/api/integrations/sandbox/connect${query}`, { headers });
  assert.equal(link.status, 302, await link.text());
  const question = locationOf(await browser.visit(locationOf(link)));
  const page = await browser.visit(question);
  assert.equal(page.status, 200);
  const body = fieldsOf(await page.text(), answer);
  const answered = await browser.visit(question, { method: 'POST', body });
  assert.equal(answered.status, 200);
  const onward = /<a href="([^"]+)">Continue<\/a>/.exec(await answered.text())?.[1] ?? '';
  const callback = locationOf(await browser.visit(new URL(onward.replaceAll('&amp;', '&'), url).href));
  assert.ok(callback.startsWith(`${url}/api/integrations/sandbox/callback?`), callback);
  return browser.visit(callback);
};
