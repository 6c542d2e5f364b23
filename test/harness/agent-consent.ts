import assert from 'node:assert/strict';
import { createBrowser, locationOf } from './browser.ts';
import { SERVICE_URL } from './oauth-server.ts';
import { readCsrfToken } from './sessions.ts';

type Choice = Record<string, string | readonly string[]>;

/** A person's browser that is signed in, in front of a stage. */
export const openPersonBrowser = (
  cookie: string,
  { base = SERVICE_URL, send = fetch }: { base?: string; send?: typeof fetch } = {},
) => {
  const browser = createBrowser({ fetch: send, cookies: [cookie] });

  const visit = (address: string, init?: RequestInit): Promise<Response> =>
    browser.visit(new URL(address, base).href, init);

  /** Follows a client's address to the page that asks. */
  const open = async (address: string | URL) => {
    const asked = await visit(String(address));
    assert.equal(asked.status, 303, await asked.clone().text());
    const page = locationOf(asked);
    const shown = await visit(page);
    const text = await shown.text();
    assert.equal(shown.status, 200, text);
    return { page, text, csrf: readCsrfToken(text), seen: /name="shown" value="([^"]+)"/.exec(text)?.[1] ?? '' };
  };

  const submit = (page: string, fields: Choice): Promise<Response> => {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return visit(page, { method: 'POST', headers, body: String(body) });
  };

  /** Where the page leads after a decision. */
  const follow = async (decided: Response): Promise<URL> => {
    const text = await decided.text();
    assert.equal(decided.status, 200, text);
    const next = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(text)?.[1] ?? '';
    const back = await visit(next.replaceAll('&amp;', '&'));
    assert.equal(back.status, 303, await back.clone().text());
    return new URL(locationOf(back));
  };

  return {
    visit,
    open,
    send: submit,
    follow,
    /** Decides as the person chooses. Returns where the client gets its code. */
    async decide(address: string | URL, choice: Choice): Promise<URL> {
      const { page, csrf, seen } = await open(address);
      return follow(await submit(page, { answer: 'allow', shown: seen, ...choice, _csrf: csrf }));
    },
  };
};

export type PersonBrowser = ReturnType<typeof openPersonBrowser>;
