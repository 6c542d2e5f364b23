import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { before, test } from 'node:test';
import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import { RIGHT_NAMES } from '../../src/http/index.ts';
import { createStoredAdapter } from '../../src/oauth/index.ts';
import { COMMAND_LINE, holderOf } from '../../src/teams/index.ts';
import { createTestApp, type Person, type TestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

type Route = { method: HTTPMethods; url: string; access: unknown; right: string | undefined };

/** What restricted tokens can use, and what each route requires. Everything else is closed to all of them. */
const RIGHTS_BY_ROUTE: Record<string, string> = {
  'GET /api/team': 'status',
  'GET /api/integrations/status': 'status',
  'GET /api/integrations/providers': 'status',
  'POST /api/integrations/:provider/connect': 'connect',
  'GET /api/calls': 'calls',
  'GET /api/calls/:id': 'calls',
  'GET /api/recordings/:id': 'recordings',
  'GET /api/recordings/:id/audio': 'recordings',
  'HEAD /api/recordings/:id/audio': 'recordings',
  'GET /api/reports': 'reports',
  'GET /api/reports/:week': 'reports',
  'GET /api/events': 'events',
  'GET /api/events/:id': 'events',
  'GET /api/events/:id/payload': 'events',
  'GET /api/approvals': 'ask',
  'GET /api/approvals/:id': 'ask',
  'GET /api/approvals/:id/response': 'ask',
  'GET /mcp': 'mcp',
  'POST /mcp': 'mcp',
  'DELETE /mcp': 'mcp',
  'GET /api/integrations/:provider/proxy/*': 'allow',
  'HEAD /api/integrations/:provider/proxy/*': 'allow',
  'POST /api/integrations/:provider/proxy/*': 'allow',
  'PUT /api/integrations/:provider/proxy/*': 'allow',
  'PATCH /api/integrations/:provider/proxy/*': 'allow',
  'DELETE /api/integrations/:provider/proxy/*': 'allow',
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const ALLOW = [{ provider: 'github', methods: [...METHODS] }];
const ALL = [...RIGHT_NAMES, 'allow', 'ask'];
const BESIDES = ['allow', 'ask'];

/** Rights as a request for a token has them. */
const toRights = (names: readonly string[]) => ({
  can: names.filter((name) => !BESIDES.includes(name)),
  ...(names.includes('allow') ? { allow: ALLOW } : {}),
  ...(names.includes('ask') ? { writes: 'ask' } : {}),
});

/** The routes for callers, where a credential is looked up. The operator's doors have secrets of their own. */
const isForCallers = ({ access }: Route): boolean => access === 'member' || access === 'admin';

const nameOf = ({ method, url }: Route): string => `${method} ${url}`;

onOneEngine('every route of the server', (engine) => {
  const routes: Route[] = [];

  /** Notes each route as the router gets it, hidden ones and pages included. */
  const watch = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
      for (const one of [method].flat())
        routes.push({ method: one, url, access: config?.access, right: config?.right });
    });
  };

  const open = async (): Promise<TestApp> => {
    subscribe('fastify.initialization', watch);
    try {
      return await createTestApp(engine, { env: { PATCHBAY_RATE_LIMIT: '100000' } });
    } finally {
      unsubscribe('fastify.initialization', watch);
    }
  };

  const stage = useStage(open);
  let person: Person;
  let admin: Record<string, string>;
  let asked = 0;

  before(async () => {
    person = (await stage.createTeam('restricted')).admin;
    admin = person.headers;
  });

  const ask = async ({ method, url }: Route, headers: Record<string, string>) => {
    const path = url
      .replaceAll(/:provider\b/g, 'github')
      .replaceAll(/:\w+/g, 'unknown')
      .replaceAll('*', 'user');
    // Each from another address, so that the limit for failures isn't what refuses it.
    const remoteAddress = `10.1.${(++asked >> 8) & 255}.${asked & 255}`;
    const response = await stage.server.inject({ method: method as 'GET', url: path, headers, remoteAddress });
    const isProblem = String(response.headers['content-type']).includes('json') && response.body !== '';
    return { status: response.statusCode, code: isProblem ? response.json().code : null, body: response.body };
  };

  /** A HEAD request has no body that could say why it's refused. */
  const isRefused = ({ status, code }: Awaited<ReturnType<typeof ask>>, { method }: Route): boolean =>
    status === 403 && (code === 'tokens.not_allowed' || method === 'HEAD' || code === null);

  test('is either in the table of rights, or declares none', () => {
    assert.ok(routes.length > 200, `${routes.length} routes`);
    const declared = routes.filter(({ right, access }) => right !== undefined && typeof access === 'string');
    const entries = declared.map((route) => [nameOf(route), route.right]);
    assert.deepEqual(Object.fromEntries(entries), RIGHTS_BY_ROUTE);
  });

  test('refuses a token that has every right but the one it requires, and says which', async () => {
    const tokens = new Map<string, Record<string, string>>();
    for (const right of ALL)
      tokens.set(right, await makeToken(stage.server, admin, toRights(ALL.filter((one) => one !== right))));
    for (const route of routes.filter(isForCallers)) {
      const right = RIGHTS_BY_ROUTE[nameOf(route)];
      // Every restricted token can use /mcp, which has a tool for each right.
      if (right === undefined || right === 'mcp') continue;
      const answer = await ask(route, tokens.get(right) ?? {});
      assert.ok(isRefused(answer, route), `${nameOf(route)}: ${answer.status} ${answer.code}`);
      if (route.method !== 'HEAD') assert.match(answer.body, new RegExp(`\\\\?"${right}\\\\?"`), nameOf(route));
    }
  });

  test('accepts a token that has only the right it requires', async () => {
    for (const right of ALL) {
      const token = await makeToken(stage.server, admin, toRights([right]));
      for (const route of routes.filter(isForCallers)) {
        const wanted = RIGHTS_BY_ROUTE[nameOf(route)];
        const answer = await ask(route, token);
        const isOpen = wanted === right || wanted === 'mcp';
        assert.equal(
          isRefused(answer, route),
          !isOpen,
          `${nameOf(route)} with ${right}: ${answer.status} ${answer.code}`,
        );
      }
    }
  });

  test('that is not in the table refuses a token that has all rights there are', async () => {
    const token = await makeToken(stage.server, admin, toRights(ALL));
    for (const route of routes.filter(isForCallers)) {
      if (RIGHTS_BY_ROUTE[nameOf(route)] !== undefined) continue;
      const answer = await ask(route, token);
      assert.ok(isRefused(answer, route), `${nameOf(route)}: ${answer.status} ${answer.code}`);
    }
  });

  test('takes a token that was granted to a client for no token at all, unless it is /mcp', async () => {
    const { app } = stage;
    const { id } = await app.teams.tokens.create(holderOf(person.user), COMMAND_LINE, {
      ...{ name: 'granted', client: 'agent.example', rights: { can: [...RIGHT_NAMES] } },
    });
    const issued = createStoredAdapter(app.database, {
      ...{ table: 'agent_issued', kind: 'AccessToken', most: null },
      onUsed: () => new Error('It is used again and again.'),
    });
    await issued.upsert('granted'.padEnd(43, '-'), { grantId: id }, 3_600);
    const bearer = (name: string) => ({ authorization: `Bearer pba_${name.padEnd(43, '-')}` });
    const open = routes.filter(({ access }) => typeof access === 'string');
    for (const route of open) {
      const [known, unknown] = [await ask(route, bearer('granted')), await ask(route, bearer('unknown'))];
      if (route.url === '/mcp') assert.deepEqual([known.status === 401, unknown.status], [false, 401]);
      else assert.deepEqual([known.status, known.code], [unknown.status, unknown.code], nameOf(route));
    }
  });

  test('where anyone may call answers a restricted token as it answers a stranger', async () => {
    const token = await makeToken(stage.server, admin, toRights(ALL));
    const open = routes.filter(({ access }) => access === 'anyone_or_caller');
    assert.ok(open.length >= 4, `${open.length} routes`);
    for (const route of open) {
      const [known, stranger] = [await ask(route, token), await ask(route, {})];
      assert.deepEqual([known.status, known.code], [stranger.status, stranger.code], nameOf(route));
    }
  });
});
