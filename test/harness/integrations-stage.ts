import { buildApp } from '../../src/app.ts';
import type { Connection } from '../../src/integrations/connections/connection.ts';
import { getConnection } from '../../src/integrations/connections/connection-store.ts';
import { createOutbound, type Engine } from '../../src/platform/index.ts';
import { createTestApp, createTestClock, createTestLog } from './app.ts';
import { silent } from './oauth-server/faults.ts';
import { type OauthServer, type OauthServerOptions, startOauthServer } from './oauth-server.ts';
import { allRecords, providerSettings, writeProviderFile } from './provider-file.ts';
import { askInjected, createTeamMember } from './team-member.ts';

/**
 * The real outbound guard. It waits less long for a response that never comes, so that tests don't have to wait as long
 * either. All others may take their time: the machine may be busy.
 */
const createImpatientOutbound = (oauth: OauthServer, silenceMs: number) => {
  const outbound = createOutbound({ allowPrivate: true });
  const patience = new Set<number>();
  const hurry: typeof outbound.request = async (request) => {
    patience.add(request.timeoutMs);
    const isSilent = oauth.plannedAt(request.url).includes(silent);
    return outbound.request({ ...request, timeoutMs: Math.min(request.timeoutMs, isSilent ? silenceMs : Infinity) });
  };
  return { outbound: { ...outbound, request: hurry }, patience };
};

type StageOptions = OauthServerOptions & {
  /** How long a response that never comes is waited for. Default: as long as the service does. */
  silenceMs?: number;
  records?: typeof allRecords;
  env?: Record<string, string>;
  /** What is set besides the file of providers. Default: a client with a secret for each of them. */
  settings?: (path: string) => Record<string, string>;
  /** Default: a fixed time. An assertion must not have expired for the server, so it needs the real one. */
  startAt?: number;
};

/** The whole service with a real OAuth server beside it. Its clock stands still, the server's does not. */
export const openIntegrationsStage = async (
  engine: Engine,
  {
    silenceMs = Infinity,
    records = allRecords,
    env = {},
    settings = providerSettings,
    startAt,
    ...server
  }: StageOptions = {},
) => {
  const oauth = await startOauthServer(server);
  const file = writeProviderFile(records(oauth.issuer));
  const clock = createTestClock(startAt);
  const { outbound, patience } = createImpatientOutbound(oauth, silenceMs);
  const stage = await createTestApp(engine, { env: { ...settings(file.path), ...env }, clock, outbound });
  const { app } = stage;
  const others: { close(): Promise<void> }[] = [];
  let made = 0;

  return {
    ...stage,
    oauth,
    clock,
    /** How long the service would have waited for a response, in milliseconds, each value once. */
    patience,
    ask: askInjected(stage.server),
    /** A name that hasn't been used, so that no two tests share an account. */
    newAccount: (): string => `account-${++made}`,
    /** A new team and its admin. */
    async newTeam() {
      const made = await stage.createTeam(`team-${app.newId().slice(-12)}`);
      return { ...made, at: createTeamMember(askInjected(stage.server), made.admin.headers, oauth) };
    },
    /** A second process on the same database, as far as that's possible within one. */
    async openOther() {
      const other = buildApp(stage.config, { clock, outbound, log: createTestLog().log });
      const server = await other.createServer();
      others.push({
        close: async () => {
          await server.close();
          await other.close();
        },
      });
      return { app: other, ask: askInjected(server) };
    },
    async row(teamId: string, provider: string, name = 'default'): Promise<Connection> {
      const row = await getConnection(app.database, { teamId, provider, name });
      if (!row) throw new Error('There is no such connection.');
      return row;
    },
    /** So that the next test finds nothing due. */
    async removeConnections(): Promise<void> {
      await app.database.run('delete from connections', []);
      await app.database.run('delete from revocations', []);
    },
    async close(): Promise<void> {
      for (const other of others) await other.close();
      await stage.close();
      file.remove();
      await oauth.stop();
    },
  };
};

export type IntegrationsStage = Awaited<ReturnType<typeof openIntegrationsStage>>;
