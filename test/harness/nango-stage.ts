import assert from 'node:assert/strict';
import { type ImportedConnection, type ImportOptions, importNango } from '../../src/imports/nango/import-nango.ts';
import { createNangoClient } from '../../src/imports/nango/nango-client.ts';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { type Engine, Secret } from '../../src/platform/index.ts';
import { asCustomer } from './customers.ts';
import { openKeysStage } from './keys-stage.ts';
import { startNangoServer } from './nango-server.ts';
import { OPERATOR } from './oauth-server.ts';
import { createTeamMember } from './team-member.ts';

/** The ID that Nango gives a connection. */
export const UUID = '5f0b1c7e-2f64-4a4b-9d43-0c4a1b7f6a10';

/** Fails unless there is exactly one. */
export const only = async (running: Promise<ImportedConnection[]>): Promise<ImportedConnection> => {
  const all = await running;
  assert.equal(all.length, 1);
  return all[0] as ImportedConnection;
};

/** The whole service with a real OAuth server and an API that takes keys, and a Nango that has connections to both. */
export const openNangoStage = async (engine: Engine) => {
  const stage = await openKeysStage(engine);
  const nango = await startNangoServer();
  const waits: number[] = [];

  const clientWith = (key = nango.key) =>
    createNangoClient(
      { outbound: stage.app.outbound, clock: stage.clock, wait: async (ms) => void waits.push(ms) },
      { host: nango.host, key: new Secret(key) },
    );

  /** Tokens that a product got for this account, with the OAuth app that is configured here, too. */
  const grantOf = async (account: string, provider = 'acme-full') => {
    const { team, at } = await stage.newTeam();
    await at.connect(provider, account);
    const row = await stage.row(team.id, provider);
    const tokens = await openTokens(stage.app.vault, row);
    assert.ok(tokens?.refreshToken);
    await stage.app.database.run('delete from connections where team_id = $1', [team.id]);
    return {
      type: 'OAUTH2',
      access_token: tokens.accessToken.reveal(),
      refresh_token: tokens.refreshToken.reveal(),
      expires_at: new Date(row.expiresAt ?? 0).toISOString(),
      raw: { access_token: tokens.accessToken.reveal(), scope: 'openid email', token_type: 'Bearer' },
    };
  };

  return {
    ...stage,
    nango,
    /** How long the client has waited before it tried again. */
    waits,
    clientWith,
    grantOf,
    run(apply: boolean, options: Partial<ImportOptions> = {}, client = clientWith()) {
      const { integrations, teams } = stage.app;
      const all = { apply, teamId: null, source: { by: 'owner' }, ...options } as const;
      return importNango({ integrations, teams, client }, all, () => undefined);
    },
    newCustomer: (): string => `customer-${stage.app.newId().slice(-12)}`,
    /** A connection in Nango that can be imported. */
    async addGrant(customer: string, changes: object = {}, account = stage.newAccount()) {
      nango.integrations.set('acme-prod', { provider: 'acme-full', clientId: OPERATOR.id, scopes: 'openid,email' });
      const credentials = { ...(await grantOf(account)), ...changes };
      const tags = { organization_id: customer, end_user_id: 'user-7', end_user_email: 'ada@example.com' };
      nango.add({ connectionId: UUID, integration: 'acme-prod', credentials: { ...credentials }, tags });
      return credentials;
    },
    /** The operator as an admin of the customer's team. */
    at: (customer: string) => createTeamMember(stage.ask, asCustomer(customer).headers, stage.oauth),
    countRows: async (table: string): Promise<number> =>
      (await stage.app.database.get<{ n: number }>(`select count(*) as n from ${table}`))?.n ?? -1,
    /** So that the next test finds nothing. */
    async reset(): Promise<void> {
      stage.mend();
      nango.reset();
      waits.length = 0;
      await stage.removeConnections();
    },
    async close(): Promise<void> {
      await stage.close();
      await nango.close();
    },
  };
};
