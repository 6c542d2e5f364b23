import assert from 'node:assert/strict';
import type { Server } from '../../src/http/index.ts';
import type { KeysStage } from './keys-stage.ts';
import { openSession } from './sessions.ts';

const ORIGIN = 'http://localhost:3000';

/** A browser without scripts: it keeps cookies, and says where its requests come from. */
export const createBrowser = (server: Server, cookie = '') => {
  const cookies = new Map(cookie === '' ? [] : cookie.split('; ').map((one) => one.split('=') as [string, string]));

  const send = async (method: 'GET' | 'POST', address: string, fields?: Record<string, string>, headers = {}) => {
    const { pathname, search } = new URL(address, ORIGIN);
    const answer = await server.inject({
      method,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(
        Object.entries({
          accept: 'text/html',
          'sec-fetch-site': 'same-origin',
          ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
          ...(fields && { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }),
          ...headers,
        }).filter(([, value]) => value !== undefined),
      ),
      ...(fields && { payload: new URLSearchParams(fields).toString() }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = (String(line).split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return { status: answer.statusCode, body: answer.body, headers: answer.headers };
  };

  const get = (address: string, headers?: object) => send('GET', address, undefined, headers);

  return {
    get,
    post: (address: string, fields: Record<string, string>, headers?: object) => send('POST', address, fields, headers),
    /** The form that a connect link leads to. */
    async openForm(link: string) {
      const begun = await get(link);
      assert.equal(begun.status, 302, begun.body);
      const action = String(begun.headers.location);
      const form = await get(action);
      assert.equal(form.status, 200, form.body);
      const csrfToken = /name="_csrf" value="([^"]+)"/.exec(form.body)?.[1];
      return {
        page: form.body,
        action,
        submit: (fields: Record<string, string>, headers?: object) =>
          send('POST', action, { ...(csrfToken && { _csrf: csrfToken }), ...fields }, headers),
      };
    },
  };
};

export type Browser = ReturnType<typeof createBrowser>;

/** Where a page leads by itself. */
export const nextOf = (page: string): URL => {
  const [, address = ''] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page) ?? [];
  return new URL(address.replaceAll('&amp;', '&'));
};

/** A member of a new team who is signed in to the pages. */
export const signInToPages = async (stage: KeysStage) => {
  const team = await stage.newTeam();
  const { cookie } = await openSession(stage, team.member.user);
  return { ...team, browser: createBrowser(stage.server, cookie) };
};
