import { type AuditActor, callerRemoved } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import { authorityOf } from '../connections/authority.ts';
import type { Connection } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { openTokens } from '../connections/connection-tokens.ts';
import { storeConnection, toConnectionRow } from '../connections/put-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { checkKey, expectAccepted } from '../keys/accept-key.ts';
import { holdsKey } from '../keys/connection-key.ts';
import { storeKey } from '../keys/store-key.ts';
import { tryKey } from '../keys/try-key.ts';
import { settleSite } from '../requests/chosen-site.ts';
import { fetchHolder } from '../requests/fetch-holder.ts';
import type {
  Adopter,
  Adoption,
  ForeignConnection,
  ForeignGrant,
  ForeignKey,
  ForeignWith,
} from './foreign-connection.ts';
import { prepareGrant } from './prepare-grant.ts';

const isGrant = (foreign: ForeignConnection): foreign is ForeignWith<ForeignGrant> =>
  foreign.credential.kind === 'oauth2';

const checkForeignKey = ({ catalogue }: IntegrationsContext, foreign: ForeignWith<ForeignKey>) => {
  const { provider, credential, values } = foreign;
  const entry = findKeyProvider(catalogue, provider);
  return { entry, checked: checkKey(entry, { fields: credential.fields, params: values }) };
};

/** Thrown if the existing connection stays. */
class Present extends Error {}

/**
 * Whether the imported credential may replace the existing connection. It may if that connection needs a reconnect,
 * wasn't connected later than the imported one, and has a different credential.
 */
const givesWay = async (
  { vault }: IntegrationsContext,
  old: Connection,
  { connectedAt, credential, values }: ForeignConnection,
): Promise<boolean> => {
  if (old.status !== 'needs_reconnect' || old.connectedAt > connectedAt) return false;
  if (credential.kind === 'key') return !(await holdsKey(vault, old, { fields: credential.fields, details: values }));
  const held = await openTokens(vault, old);
  const token = ({ accessToken, refreshToken }: Pick<ForeignGrant, 'accessToken' | 'refreshToken'>): string =>
    (refreshToken ?? accessToken).reveal();
  return held === null || token(held) !== token(credential);
};

const isPresent = async (
  context: IntegrationsContext,
  teamId: string | null,
  foreign: ForeignConnection,
): Promise<boolean> => {
  if (teamId === null) return false;
  const { provider, name } = foreign;
  const old = await getConnection(context.database, { teamId, provider, name });
  return old !== undefined && !(await givesWay(context, old, foreign));
};

/** Checks whether a connection can be adopted. Throws the same refusals as `adoptConnection`, and changes nothing. */
export const examineConnection = async (
  context: IntegrationsContext,
  teamId: string | null,
  foreign: ForeignConnection,
): Promise<'ready' | 'present'> => {
  if (await isPresent(context, teamId, foreign)) return 'present';
  if (isGrant(foreign)) await prepareGrant(context, teamId, foreign);
  else checkForeignKey(context, foreign);
  return 'ready';
};

type Storing = Adopter & Omit<Parameters<typeof storeConnection>[2], 'authorityOf'>;

const adoptGrant = async (
  context: IntegrationsContext,
  { teamId, userId, ...storing }: Storing,
  foreign: ForeignWith<ForeignGrant>,
  actor: AuditActor,
): Promise<void> => {
  const { provider, name, connectedAt } = foreign;
  const { resolved, client, tokens, details, scopesAsked } = await prepareGrant(context, teamId, foreign);
  const source = { accessToken: tokens.accessToken, response: foreign.credential.response };
  const target = { provider: resolved, client, values: details };
  const { kept, sites, ...identified } = await fetchHolder(context, target, source);
  const row = await toConnectionRow(context, resolved, {
    ...{ teamId, userId, provider, name, connectedAt, client, ...identified, sites, tokens, scopesAsked },
    details: { ...kept, ...details },
  });
  const rules = {
    siteAfter: (old: Connection) => settleSite(resolved.record, sites, old),
    authorityOf: (values: Record<string, string>) => authorityOf(resolved, values),
  };
  await storeConnection(context, row, { userId, ...storing, ...rules }, actor);
};

const adoptKey = async (
  context: IntegrationsContext,
  storing: Storing,
  foreign: ForeignWith<ForeignKey>,
  actor: AuditActor,
): Promise<void> => {
  const { provider, name, connectedAt } = foreign;
  const { entry, checked } = checkForeignKey(context, foreign);
  const accepted = expectAccepted(checked, await tryKey(context, entry, checked));
  await storeKey(context, entry, accepted, { ...storing, provider, name, connectedAt }, actor);
};

/**
 * Stores another service's connection, sealed. An existing connection with the same name stays, unless it needs a
 * reconnect. If it's replaced, its grant isn't revoked, because the imported grant may be the same one.
 */
export const adoptConnection = async (
  context: IntegrationsContext,
  { teamId, userId }: Adopter,
  given: ForeignConnection,
  { from, actor }: { from: string; actor: AuditActor },
): Promise<Adoption> => {
  const begunAt = context.clock.now();
  const foreign = { ...given, connectedAt: Math.min(given.connectedAt, begunAt) };
  if (await isPresent(context, teamId, foreign)) return 'present';
  const storing: Storing = {
    ...{
      teamId,
      userId,
      begun: { begunAt, sessionId: null, tokenId: null },
      mayReplace: false,
      // `checkReplaced` decides. Most keys and many grants don't say whose account it is.
      mayReplaceUnknown: true,
      refuseGone: callerRemoved,
      detail: { from },
    },
    async checkReplaced(old) {
      if (!(await givesWay(context, old, foreign))) throw new Present();
    },
    toRevocation: async () => null,
  };
  try {
    if (isGrant(foreign)) await adoptGrant(context, storing, foreign, actor);
    else await adoptKey(context, storing, foreign, actor);
    return 'adopted';
  } catch (error) {
    if (error instanceof Present) return 'present';
    throw error;
  }
};
