import type { ForeignConnection, Integrations } from '../../integrations/index.ts';
import { CommandRefused, type Progress } from '../../platform/index.ts';
import { COMMAND_LINE, type Teams } from '../../teams/index.ts';
import { createOnce } from '../create-once.ts';
import { inOrder } from '../in-order.ts';
import { isReason, type Reason, reason, toReason } from '../reason.ts';
import { createAdopters } from './create-adopters.ts';
import type { CustomerSource } from './find-owner.ts';
import { type NangoClient, NangoRefused } from './nango-client.ts';
import type { NangoConnection, NangoIntegration } from './nango-schemas.ts';
import { type Planned, planImport } from './plan-import.ts';
import { translateCredential } from './translate-credential.ts';
import { translateValues } from './translate-values.ts';

type ImportContext = {
  integrations: Pick<Integrations, 'examineConnection' | 'adoptConnection' | 'isCustomProvider'>;
  teams: { customers: Pick<Teams['customers'], 'find' | 'put' | 'ensureUser'> };
  client: NangoClient;
};

export type ImportOptions = {
  /** False for a dry run, which changes nothing in Patchbay. */
  apply: boolean;
  /** The team that gets all connections. If null, each connection goes to its customer's team. */
  teamId: string | null;
  source: CustomerSource;
};

/**
 * `ready`: a dry run found that the connection can be imported. `failed`: Nango didn't return it, but may do so later.
 */
export type ImportOutcome = 'ready' | 'imported' | 'present' | 'refused' | 'failed';

export type ImportedConnection = {
  /** The key of the integration in Nango. */
  integration: string;
  connectionId: string;
  nangoProvider: string;
  customer: string | null;
  provider: string | null;
  connection: string | null;
  outcome: ImportOutcome;
  reason: Reason | null;
};

const listAll = async (client: NangoClient): Promise<NangoConnection[]> => {
  const all: NangoConnection[] = [];
  try {
    for await (const page of client.listConnections()) all.push(...page);
    return all;
  } catch (error) {
    throw error instanceof NangoRefused ? new CommandRefused(error.message) : error;
  }
};

/** Fetches a connection from Nango with its credentials, and translates both to Patchbay's format. */
const fetchForeign = async (
  { client }: ImportContext,
  integrationOf: (key: string) => Promise<NangoIntegration | null>,
  { listed, entry, name }: Planned,
): Promise<ForeignConnection | Reason> => {
  if (!entry || name === null) throw new TypeError('There is no place for it.');
  const { connection_config, credentials } = await client.getConnection(listed);
  const isOauth = credentials?.['type'] === 'OAUTH2';
  const integration = isOauth ? await integrationOf(listed.provider_config_key) : null;
  const credential = translateCredential(credentials ?? {}, integration, entry);
  if (isReason(credential)) return credential;
  const translated = translateValues(connection_config ?? {}, entry);
  if (isReason(translated)) return translated;
  const created = Date.parse(listed.created);
  const connectedAt = Number.isNaN(created) ? 0 : created;
  return { provider: entry.provider, name, connectedAt, ...translated, credential } as ForeignConnection;
};

/**
 * Imports Nango's connections, a few at a time, and keeps no credential in memory afterward. A connection that Patchbay
 * already has is left alone, so an interrupted import can be run again. A dry run does everything except write, and
 * sends no credential to a provider.
 */
export const importNango = async (
  context: ImportContext,
  options: ImportOptions,
  progress: Progress,
): Promise<ImportedConnection[]> => {
  const { client, integrations } = context;
  const { apply, teamId, source } = options;
  const planned = planImport(await listAll(client), {
    source: teamId === null ? source : null,
    isCustomProvider: integrations.isCustomProvider,
  });
  const adopters = createAdopters(context.teams, options);
  const once = createOnce<NangoIntegration | null>();
  const integrationOf = (key: string) => once(key, () => client.getIntegration(key));

  const judge = async (plan: Planned): Promise<{ outcome: ImportOutcome; reason: Reason | null }> => {
    if (plan.obstacle) return { outcome: 'refused', reason: plan.obstacle };
    try {
      const foreign = await fetchForeign(context, integrationOf, plan);
      if (isReason(foreign)) return { outcome: 'refused', reason: foreign };
      const known = await adopters.teamOf(plan.owner);
      const examined = await integrations.examineConnection(known, foreign);
      if (examined === 'present' || !apply || known === null) return { outcome: examined, reason: null };
      const adopter = await adopters.adopterOf(known, plan.owner);
      const from = { from: 'nango', actor: COMMAND_LINE };
      const adoption = await integrations.adoptConnection(adopter, foreign, from);
      return { outcome: adoption === 'present' ? 'present' : 'imported', reason: null };
    } catch (error) {
      if (error instanceof NangoRefused) {
        const isBroken = error.code === 'invalid_credentials';
        return isBroken
          ? {
              outcome: 'refused',
              reason: reason('broken', 'It no longer works in Nango either. Connect it again here.'),
            }
          : { outcome: 'failed', reason: reason('not_returned', error.message) };
      }
      return { outcome: 'refused', reason: toReason(error) };
    }
  };

  const describe = async (plan: Planned): Promise<ImportedConnection> => {
    const { listed, owner, entry, name } = plan;
    return {
      integration: listed.provider_config_key,
      connectionId: listed.connection_id,
      nangoProvider: listed.provider,
      customer: owner?.customer.key ?? null,
      provider: entry?.provider ?? null,
      connection: name,
      ...(await judge(plan)),
    };
  };
  return inOrder(planned, describe, (done) => progress(done, planned.length));
};
