import assert from 'node:assert/strict';
import type { Server } from '../../src/http/index.ts';
import type { Integration } from '../../src/integrations/connections/status.ts';
import { type OauthServer, SERVICE_URL } from './oauth-server.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Headers = Readonly<Record<string, string>>;

export type Reply = { status: number; headers: Readonly<Record<string, string>>; cookies: string[]; body: string };

/** One request to the service, however it's reached. */
export type Ask = (method: Method, path: string, headers?: Headers, body?: object | string) => Promise<Reply>;

export const askInjected =
  (server: Server): Ask =>
  async (method, url, headers = {}, payload) => {
    const answer = await server.inject({ method, url, headers, ...(payload && { payload }) });
    const { 'set-cookie': cookies, ...others } = answer.headers;
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
      cookies: [cookies ?? []].flat().map(String),
      body: answer.body,
    };
  };

export const askOver =
  (url: string): Ask =>
  async (method, path, headers = {}, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(typeof body === 'object' && { 'content-type': 'application/json' }) },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      cookies: answer.headers.getSetCookie(),
      body: await answer.text(),
    };
  };

export const JSON_ONLY = { accept: 'application/json' } as const;

/** The binding cookie, as the browser sends it back. */
export const bindingOf = ({ cookies }: Reply): string => cookies.map((line) => line.split(';')[0]).join('; ');

/** The path of a callback, for whichever process should get it. */
export const pathOf = (callback: string): string => {
  assert.ok(callback.startsWith(`${SERVICE_URL}/api/integrations/`), callback);
  return callback.slice(SERVICE_URL.length);
};

/** A team member who works with its integrations, and a consent page. */
export const createTeamMember = (ask: Ask, headers: Headers, oauth: OauthServer) => {
  const expectOk = async (method: Method, path: string, body?: object) => {
    const reply = await ask(method, `/api/integrations/${path}`, headers, body);
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.body}`);
    return reply;
  };

  /** From the connect request to the address that the provider redirects to. */
  const goToProvider = async (provider: string, account: string, wish: object = {}) => {
    const begun = await expectOk('POST', `${provider}/connect`, wish);
    const callback = await oauth.consent(JSON.parse(begun.body).authorizationUrl, { account });
    return { path: pathOf(callback), cookie: bindingOf(begun) };
  };

  const tryConnect = async (provider: string, account: string, wish?: object): Promise<Reply> => {
    const { path, cookie } = await goToProvider(provider, account, wish);
    return ask('GET', path, { ...JSON_ONLY, cookie });
  };

  const nameIn = (connection: string | undefined): string =>
    connection === undefined ? '' : `?connection=${connection}`;

  return {
    headers,
    goToProvider,
    tryConnect,
    async connect(provider: string, account: string, wish?: object): Promise<void> {
      const reply = await tryConnect(provider, account, wish);
      assert.equal(reply.status, 200, reply.body);
      assert.equal(JSON.parse(reply.body).account.id, account);
    },
    async status(provider: string, connection?: string): Promise<Integration> {
      const { integrations } = JSON.parse((await expectOk('GET', 'status')).body);
      const found = integrations.find(
        (one: Integration) => one.provider === provider && one.connection === (connection ?? one.connection),
      );
      assert.ok(found, `${provider} is not in the status.`);
      return found;
    },
    /** The names of the provider's entries in the status, in order. */
    async names(provider: string): Promise<string[]> {
      const { integrations } = JSON.parse((await expectOk('GET', 'status')).body);
      return integrations
        .filter((one: Integration) => one.provider === provider)
        .map((one: Integration) => one.connection);
    },
    /** A token, if one is available. */
    async token(provider: string, connection?: string): Promise<string> {
      return JSON.parse((await expectOk('POST', `${provider}/token${nameIn(connection)}`)).body).accessToken;
    },
    /** A refusal, and when it says to try again. */
    async refusedToken(
      provider: string,
      status: number,
      connection?: string,
    ): Promise<{ code: string; detail: string; retryAfter: string | undefined }> {
      const reply = await ask('POST', `/api/integrations/${provider}/token${nameIn(connection)}`, headers);
      assert.equal(reply.status, status, reply.body);
      assert.match(reply.headers['content-type'] ?? '', /^application\/problem\+json/);
      const { code, detail } = JSON.parse(reply.body);
      return { code, detail, retryAfter: reply.headers['retry-after'] };
    },
    async disconnect(provider: string, connection?: string): Promise<string> {
      return JSON.parse((await expectOk('POST', `${provider}/disconnect${nameIn(connection)}`)).body).revocation;
    },
  };
};

export type TeamMember = ReturnType<typeof createTeamMember>;
