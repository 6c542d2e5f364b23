import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Benchmark, Result } from '../benchmark.ts';
import { startChildServer } from '../child-server.ts';
import { loadServer, stayAwake, warmUp } from '../http/load-server.ts';
import { makeDirectory } from '../temporary-directory.ts';

const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);
const TEAMS = 10_000;
const CONNECTIONS = 50;
const PAGE = 100;
const READS = 40;

/** Makes a function that sends one request, over connections that stay open. */
const createAsk = (origin: string, authorization: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    close: () => agent.destroy(),
    ask: (method: string, path: string, body?: object): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const sent = body && JSON.stringify(body);
        const headers = {
          authorization,
          ...(sent ? { 'content-type': 'application/json', 'content-length': sent.length } : {}),
        };
        request(`${origin}${path}`, { agent, method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        })
          .on('error', reject)
          .end(sent);
      }),
  };
};

type Ask = ReturnType<typeof createAsk>['ask'];

/** Returns how many teams were created per second. */
const createTeams = async (ask: Ask): Promise<number> => {
  using _ = stayAwake();
  let next = 0;
  const begun = performance.now();
  const work = async (): Promise<void> => {
    while (next < TEAMS) {
      const { status, text } = await ask('PUT', `/api/operator/teams/c-${next++}`, { name: 'A customer' });
      if (status !== 201) throw new Error(`A team was not created: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return (TEAMS / (performance.now() - begun)) * 1_000;
};

/** The cursor of the last full page. */
const findLastPage = async (ask: Ask): Promise<string> => {
  let before = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { text } = await ask('GET', `/api/operator/teams?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    const { teams, nextCursor } = JSON.parse(text) as { teams: unknown[]; nextCursor: string | null };
    if (teams.length === PAGE) before = cursor;
    cursor = nextCursor;
  }
  return before;
};

export const operator: Benchmark = {
  name: 'operator',
  about: "a request through Patchbay-Team, against the team's own access token; teams created and listed, on SQLite",
  async run(tools): Promise<Result[]> {
    const operatorToken = randomBytes(32).toString('base64url');
    const argument = JSON.stringify({ directory: makeDirectory(tools.cleanUp), operatorToken });
    const server = await startChildServer(PATCHBAY, argument, tools.cleanUp);
    const authorization = `Bearer ${operatorToken}`;
    const { ask, close } = createAsk(new URL(server.url).origin, authorization);
    tools.cleanUp.defer(close);

    const created = await createTeams(ask);
    const last = await findLastPage(ask);
    const readPage = (cursor: string) => async (): Promise<number> => {
      const begun = performance.now();
      for (let read = 0; read < READS; read++) await ask('GET', `/api/operator/teams?limit=${PAGE}${cursor}`);
      return (READS / (performance.now() - begun)) * 1_000;
    };
    const pages = await alternatePeers(
      { ours: readPage(`&cursor=${last}`), peer: readPage('') },
      { warmUps: 2, rounds: 5, signal: tools.signal },
    );

    const asOperator = { headers: { authorization, 'patchbay-team': 'customer' } };
    for (const asking of [asOperator, server]) await warmUp(server, asking);
    const rounds = await alternatePeers(
      { ours: () => loadServer(server, asOperator), peer: () => loadServer(server, server) },
      { warmUps: 0, rounds: 5, signal: tools.signal },
    );
    return [
      {
        kind: 'comparison',
        title: "GET /api/team: requests for each second of the server's processor time",
        unit: 'a processor second',
        ours: 'the operator token and Patchbay-Team',
        peer: "the team's access token",
        rounds: pick(rounds, (load) => load.perProcessorSecond),
        // The operator's request may take at most a tenth more processor time.
        goal: { atLeast: 0.91 },
      },
      {
        kind: 'reading',
        title: `${TEAMS.toLocaleString('en')} teams created over ${CONNECTIONS} connections`,
        unit: 'teams a second',
        values: [created],
        goal: { atLeast: 1_500 },
      },
      {
        kind: 'comparison',
        title: `pages of ${PAGE} teams, among ${TEAMS.toLocaleString('en')}`,
        unit: 'pages a second',
        ours: 'the last page',
        peer: 'the first page',
        rounds: pages,
        goal: { atLeast: 0.77 },
      },
    ];
  },
};
