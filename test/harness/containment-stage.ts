import assert from 'node:assert/strict';
import type { Engine } from '../../src/platform/index.ts';
import type { User } from '../../src/teams/index.ts';
import { BROWSER } from './connect-flow.ts';
import { OPERATOR, putCustomer } from './customers.ts';
import { openProxyStage, type ProxyStage } from './proxy-stage.ts';
import { openSession } from './sessions.ts';

type Headers = Record<string, string>;

/** Whose routes: those of the operator, or of a team's admin. */
const placeOf = (headers: Headers): string =>
  headers === OPERATOR ? '/api/operator/containments' : '/api/containments';

export const PROVIDER = 'acme-full';
const REASON = 'A laptop was stolen.';

/** A connection in a ledger, as the API shows it. */
export type Shown = {
  team: { id: string; key: string | null };
  provider: string;
  connection: string;
  account: { id: string; label: string };
  state: string | null;
  where: string | null;
};

/**
 * The proxy's stage, with what stops connections. `changes` are to the provider's entry, and `kills` is what the end of one
 * token ends.
 */
export const openContainmentStage = async (
  engine: Engine,
  env: Headers = {},
  changes: { kills?: 'token'; identity?: null } = {},
) => {
  const stage: ProxyStage = await openProxyStage(engine, {}, env, changes);
  const { app, server } = stage;

  const ask = (method: 'GET' | 'POST' | 'DELETE', url: string, headers: Headers, payload?: object) =>
    server.inject({ method, url, headers, ...(payload ? { payload } : {}) });

  const get = async (headers: Headers, id: string) => {
    const found = await ask('GET', `${placeOf(headers)}/${id}?limit=100`, headers);
    assert.equal(found.statusCode, 200, found.body);
    return found.json<{ state: string; listing: boolean; stopsConnections: boolean; connections: Shown[] }>();
  };

  return {
    ...stage,
    ask,
    tryToContain: (headers: Headers, asked: object) =>
      ask('POST', placeOf(headers), headers, { reason: REASON, ...asked }),
    async contain(headers: Headers, asked: object): Promise<string> {
      const begun = await ask('POST', placeOf(headers), headers, { reason: REASON, ...asked });
      assert.equal(begun.statusCode, 201, begun.body);
      return begun.json<{ id: string }>().id;
    },
    get,
    async lift(headers: Headers, id: string): Promise<void> {
      const lifted = await ask('DELETE', `${placeOf(headers)}/${id}`, headers);
      assert.equal(lifted.statusCode, 200, lifted.body);
      assert.equal(lifted.json().state, 'lifted');
    },
    /** One run of each job. */
    async runOnce(): Promise<void> {
      const { doDue, revokeDue } = app.integrations.containments;
      await doDue();
      await revokeDue();
    },
    /** What the jobs do, until nothing is left that can be done now. */
    async doDue(): Promise<void> {
      stage.clock.advance(9_000);
      const { doDue, revokeDue } = app.integrations.containments;
      for (let round = 0; round < 4; round++) {
        await doDue();
        await revokeDue();
      }
    },
    /** The states in a ledger, by account. */
    async statesOf(headers: Headers, id: string): Promise<Record<string, string | null>> {
      const { connections } = await get(headers, id);
      return Object.fromEntries(connections.map(({ account, state }) => [account.id, state]));
    },
    /** A customer's team that is connected, and the operator's headers for it. */
    async connectedCustomer(key: string) {
      const { id } = await putCustomer(stage, key);
      return { id, key, headers: { ...OPERATOR, 'patchbay-team': key } };
    },
    /** The pages, as a person uses them in a browser. */
    async browse(user: User) {
      const session = await openSession(stage, user);
      const headers = { ...BROWSER, ...session.headers };
      const read = async (path: string, status = 200): Promise<string> => {
        const answer = await server.inject({ url: path, headers });
        assert.equal(answer.statusCode, status, answer.body);
        return answer.body;
      };
      const submit = (path: string, fields: Headers = {}) =>
        server.inject({
          ...{ method: 'POST', url: path },
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
        });
      return {
        read,
        submit,
        /** Sends a form that leads to a page, and reads that. */
        async follow(path: string, fields: Headers = {}): Promise<{ location: string; page: string }> {
          const answer = await submit(path, fields);
          assert.equal(answer.statusCode, 303, answer.body);
          const location = String(answer.headers.location);
          return { location, page: await read(location) };
        },
      };
    },
    /** The problem that a request through the proxy gets. Null if the provider answers. */
    async proxyProblem(headers: Headers, connection?: string): Promise<string | null> {
      const name = connection === undefined ? '' : `?connection=${connection}`;
      const answer = await stage.call(stage.proxied(`contacts${name}`), { headers });
      if (answer.headers['patchbay-from'] === 'provider') return null;
      return JSON.parse(answer.body).code;
    },
  };
};

export type ContainmentStage = Awaited<ReturnType<typeof openContainmentStage>>;
