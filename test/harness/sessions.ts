import assert from 'node:assert/strict';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink, type User } from '../../src/teams/index.ts';
import type { TestApp } from './app.ts';

/** The path of a new sign-in link for this user. */
export const makeLinkPath = async ({ app }: TestApp, user: User, lifetimeMs: number = LINK_LIFETIME_MS.asked) => {
  const { address } = await makeSignInLink(app, app.database, holderOf(user), lifetimeMs);
  return new URL(address).pathname;
};

/** `name=value` of a cookie that a response sets. */
export const cookieFrom = (setCookie: string | string[] | number | undefined, name: string): string => {
  const line = [setCookie ?? []].flat().find((one) => String(one).startsWith(`${name}=`));
  assert.ok(line, `No cookie ${name} was set.`);
  return String(line).split(';')[0] ?? '';
};

export const readCsrfToken = (page: string): string => {
  const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1];
  assert.ok(token, 'The page holds no CSRF token.');
  return token;
};

/** Signs the user in as a browser does: by the link, then by a page that carries the CSRF token and counts nothing. */
export const openSession = async (stage: TestApp, user: User, cookieName = 'patchbay_session') => {
  const { server } = stage;
  const signedIn = await server.inject({ method: 'POST', url: await makeLinkPath(stage, user) });
  assert.equal(signedIn.statusCode, 303, signedIn.body);
  const cookie = cookieFrom(signedIn.headers['set-cookie'], cookieName);
  const page = await server.inject({ url: '/settings/sessions', headers: { cookie } });
  return { cookie, csrfToken: readCsrfToken(page.body), headers: { cookie } };
};

export type Session = Awaited<ReturnType<typeof openSession>>;
