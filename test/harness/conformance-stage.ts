import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { mcpRoutes } from '../../src/agents/mcp/mcp-routes.ts';
import { MCP_PATH } from '../../src/agents/mcp/metadata-routes.ts';
import type { Engine } from '../../src/platform/index.ts';
import { createTestApp } from './app.ts';
import { addFixtureTools } from './mcp-fixtures.ts';
import { listenOnLoopback } from './raw-http.ts';
import { makeToken } from './restricted-token.ts';

const PROGRAM = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const FIXTURES = '/mcp-fixtures';

/** Starts the conformance suite. It has no fixed end: a person may have to do something first. */
export const startConformance = (args: readonly string[]) => {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      said.text += piece;
    });
  return { said, ended: once(child, 'close') };
};

/** The scenarios that passed, by the summary at the end. */
export const runServerScenarios = async (url: string, revision: string) => {
  const { said, ended } = startConformance(['server', '--url', url, '--requirements', revision]);
  await ended;
  const summary = said.text.slice(said.text.indexOf('=== SUMMARY ==='), said.text.indexOf('Total:'));
  const passed = [...summary.matchAll(/^✓ ([\w-]+): \d+ passed, 0 failed/gm)].map(([, name = '']) => name);
  return { passed, text: said.text };
};

/** Passes everything on as it is. Adds a token for agents, because the suite has none. */
const startTokenBringer = async () => {
  const target = { port: 0, authorization: '' };
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    const all = url.startsWith(MCP_PATH) ? { ...headers, authorization: target.authorization } : headers;
    const sent = request({ host: '127.0.0.1', port: target.port, method, path: url, headers: all }, (got) => {
      response.writeHead(got.statusCode ?? 502, got.rawHeaders);
      got.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, target, url: `http://localhost:${(server.address() as AddressInfo).port}` };
};

/** The endpoint for agents, with our own tools and those of the conformance suite, and the OAuth server beside it. */
export const openConformanceStage = async (engine: Engine) => {
  const bringer = await startTokenBringer();
  const stage = await createTestApp(engine, {
    env: { PATCHBAY_URL: bringer.url },
    routesOf: ({ integrations, reports, telephony, teams, ...app }) =>
      mcpRoutes({ ...app, ...teams, integrations, reports, calls: telephony.calls, url: app.config.url } as never, {
        path: FIXTURES,
        addTools: addFixtureTools,
      }),
  });
  const { admin } = await stage.createTeam('conformance');
  const token = await makeToken(stage.server, admin.headers, { can: ['status', 'calls', 'reports', 'connect'] });
  const port = await listenOnLoopback(stage.server);
  Object.assign(bringer.target, { port, authorization: token['authorization'] });
  return {
    ...stage,
    admin,
    issuer: bringer.url,
    withFixtures: `${bringer.url}${FIXTURES}`,
    async close(): Promise<void> {
      bringer.server.closeAllConnections();
      bringer.server.close();
      await stage.close();
    },
  };
};
