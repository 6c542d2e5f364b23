import assert from 'node:assert/strict';
import { readProviders } from '../../src/config/index.ts';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { createClients } from '../../src/integrations/clients/clients.ts';
import { handleRevokeGrant } from '../../src/integrations/connections/revoke-grant.job.ts';
import type { IntegrationsContext } from '../../src/integrations/context.ts';
import type { Engine, Outbound } from '../../src/platform/index.ts';
import { expectConnected, startConnectStage, type Team } from './connect-flow.ts';
import type { ConsentOptions } from './provider-simulator/give-consent.ts';

const MONTH_SECONDS = 30 * 86_400;

/** Its access tokens last so long that nothing but a verification shows whether they work. */
const lasting = (id: string, changes: Partial<FullRecord> = {}): FullRecord => {
  const host = `${id}.example`;
  return {
    id,
    name: id,
    authorize: { url: `https://${host}/authorize` },
    token: { url: `https://${host}/token`, auth: 'post', response: { defaultExpiresIn: MONTH_SECONDS } },
    refresh: { rotates: 'always' },
    revoke: { url: `https://${host}/revoke`, auth: 'post' },
    identity: { url: `https://${host}/whoami`, id: 'id', label: 'name' },
    api: { url: `https://api.${host}/v1`, verify: { method: 'GET', path: '/me' } },
    domains: [host],
    scopes: ['read'],
    ...changes,
  };
};

/** Its tokens are renewed, and revoked with the refresh token. */
export const RENEWED = 'renewed';
/** Its tokens can't be renewed, and are revoked themselves. */
export const LASTING = 'lasting';
/** Its tokens last an hour. */
export const HOURLY = 'hourly';
/** It refuses with status 200, and its tokens can't be renewed. */
export const FRIENDLY = 'friendly';
/** It has no verification. */
export const SILENT = 'silent';

const records: readonly FullRecord[] = [
  lasting(RENEWED),
  lasting(LASTING, {
    refresh: null,
    revoke: { url: 'https://lasting.example/revoke', auth: 'post', token: 'access' },
  }),
  lasting(FRIENDLY, {
    refresh: null,
    revoke: { url: 'https://friendly.example/revoke', auth: 'post', token: 'access' },
    errors: { okField: 'ok', invalidGrant: ['token_revoked'] },
  }),
  lasting(HOURLY, { token: { url: 'https://hourly.example/token', auth: 'post' } }),
  lasting(SILENT, { api: { url: 'https://api.silent.example/v1' } }),
];

type Options = { env?: Record<string, string>; outbound?: Outbound };

/** The whole service with simulated providers whose tokens have to be verified, and a clock to move. */
export const openVerificationStage = async (engine: Engine, options: Options = {}) => {
  const stage = await startConnectStage(engine, { providers: {}, custom: records, ...options });
  const { app, server, config } = stage.stage;
  const { catalogue, operatorClients } = readProviders(config);
  const given = { outbound: options.outbound ?? stage.simulator.outbound, limits: { connections: 1_000 } };
  let made = 0;

  const statusOf = async (team: Team, provider: string) => {
    stage.clock.advance(1_000);
    const answer = await server.inject({ url: '/api/integrations/status', headers: team.admin.headers });
    return answer.json().integrations.find((one: { provider: string }) => one.provider === provider);
  };

  return {
    ...stage,
    app,
    server,
    lines: stage.stage.lines,
    newTeam: (): Promise<Team> => stage.stage.createTeam(`team-${++made}`),
    async connect(team: Team, provider: string, payload: object = {}, consent: ConsentOptions = {}): Promise<void> {
      const begun = await stage.begin(team.admin, provider, payload);
      const path = stage.consent(begun.authorizationUrl, consent);
      expectConnected(await stage.arrive(path, { cookie: begun.cookie }), provider);
    },
    /** One run of the job. */
    verifyDue: () => app.integrations.verifyDue(),
    refreshDue: () => app.integrations.refreshDue(),
    /** The kinds of requests that the provider has got since the last call, in order, each with its status. */
    seen(provider: string): string[] {
      const kinds = stage.simulator.requests
        .filter((request) => request.provider === provider)
        .map(({ kind, status }) => `${kind} ${status}`);
      const others = stage.simulator.requests.filter((request) => request.provider !== provider);
      stage.simulator.requests.splice(0, stage.simulator.requests.length, ...others);
      return kinds;
    },
    statusOf,
    /** Status and reason, in short. */
    async standingOf(team: Team, provider: string): Promise<[string, string | null]> {
      const { status, reason } = await statusOf(team, provider);
      return [status, reason];
    },
    async disconnect(team: Team, provider: string): Promise<string> {
      const answer = await stage.post(`${provider}/disconnect`, team.admin.headers);
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json().revocation;
    },
    call: (team: Team, provider: string) =>
      server.inject({ url: `/api/integrations/${provider}/proxy/me`, headers: team.admin.headers }),
    /** The types of the team's events, in order. */
    async eventsOf(team: Team): Promise<string[]> {
      const answer = await server.inject({ url: '/api/events?limit=100', headers: team.admin.headers });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json().events.map(({ type }: { type: string }) => type);
    },
    /** The job tries the team's pending revocation once more. Returns why it has to try again, or null. */
    async retryRevocation(team: Team): Promise<string | null> {
      const teamId = team.team.id;
      const row = await app.database.get<{ id: string }>('select id from revocations where team_id = $1', [teamId]);
      assert.ok(row, 'No revocation is pending.');
      const context: IntegrationsContext = {
        ...{ ...app, ...given, catalogue, operatorClients, returnOrigins: [], verifies: true },
        ...{ clients: createClients({ ...app, catalogue, operatorClients }), forgetStatus: () => undefined },
        forgetWebhooks: () => undefined,
        onConnectionEnded: async () => undefined,
        discover: (provider) => ({ record: provider.record as FullRecord, custom: true }),
      };
      const trying = handleRevokeGrant(context)({ teamId, revocationId: row.id });
      return trying.then(
        () => null,
        (error: Error) => error.message,
      );
    },
    countRevocations: async (): Promise<number> => (await app.database.all('select id from revocations', [])).length,
    async removeConnections(): Promise<void> {
      for (const table of ['connections', 'revocations']) await app.database.run(`delete from ${table}`, []);
      stage.simulator.mend();
      stage.simulator.requests.length = 0;
    },
  };
};

export type VerificationStage = Awaited<ReturnType<typeof openVerificationStage>>;
