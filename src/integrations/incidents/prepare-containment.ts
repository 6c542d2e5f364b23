import type { Transaction } from '../../platform/index.ts';
import { type AccessToken, type AuditActor, getAccessTokenOfAny, insertContainedTokens } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { Containment } from '../containment/containment.ts';
import type { ContainmentOwner } from '../containment/containment-store.ts';
import type { IncidentsContext } from './context.ts';
import { containedTokenUnknown, filterMissing, ownToken } from './errors.ts';
import { listConnectionsUsedWith } from './exposure/use-store.ts';
import { listUsedConnections } from './list-used-connections.ts';
import type { MatchingConnection } from './matching-store.ts';

/** What to stop. Filters are combined with `and`, and null matches everything. */
export type AskedContainment = {
  reason: string;
  provider: string | null;
  ofTeamId: string | null;
  connectedBefore: number | null;
  tokenId: string | null;
  revokes: boolean;
};

/** Who asks: a team's admin, or with null the operator. */
export type Asker = { owner: ContainmentOwner; actor: AuditActor };

export type PreparedContainment = {
  containment: Containment;
  /** The connections that the named token was used with, also if they aren't stopped. Null if no token is named. */
  used: MatchingConnection[] | null;
};

type NamedToken = Pick<AccessToken, 'id'> & { name: string | null; teamId: string };

/**
 * Finds the token to stop. A team's admin finds only the team's. One that was revoked is found in its team as long as
 * it's known what it was used with.
 */
const findToken = async (
  { database, flushUses }: IncidentsContext,
  { tokenId, ofTeamId }: AskedContainment,
  { actor }: Asker,
): Promise<NamedToken | null> => {
  if (tokenId === null) return null;
  if (actor.tokenId === tokenId) throw ownToken();
  const token = await getAccessTokenOfAny(database, tokenId);
  if (token && (ofTeamId === null || token.teamId === ofTeamId)) return token;
  await flushUses();
  const isKnown =
    !token && ofTeamId !== null && (await listConnectionsUsedWith(database, ofTeamId, tokenId)).length > 0;
  if (!isKnown) throw containedTokenUnknown();
  return { id: tokenId, name: null, teamId: ofTeamId };
};

/** The team whose access tokens a containment stops. Null if it stops none. */
export const tokensTeamOf = ({ provider, connectedBefore, tokenId, ofTeamId }: Containment): string | null => {
  // A token has neither a provider nor a time of connecting, so it's only stopped if it's named, or all of its team's.
  const namesConnections = provider !== null || connectedBefore !== null;
  return tokenId !== null || !namesConnections ? ofTeamId : null;
};

/**
 * Checks what is asked for, and makes the containment of it, without storing it. Of the access tokens that were handed
 * out, looks at the `newest`.
 */
export const prepareContainment = async (
  context: IncidentsContext,
  asked: AskedContainment,
  asker: Asker,
  newest: number,
): Promise<PreparedContainment> => {
  const { catalogue, clock, newId, flushUses } = context;
  const { reason, provider, connectedBefore, revokes } = asked;
  if (provider !== null) findProvider(catalogue, provider);
  const token = await findToken(context, asked, asker);
  const ofTeamId = asked.ofTeamId ?? token?.teamId ?? null;
  const namesConnections = provider !== null || connectedBefore !== null;
  if (ofTeamId === null && !namesConnections) throw filterMissing();
  const stopsConnections = token === null || revokes || namesConnections;
  const containment: Containment = {
    ...{ id: newId(), teamId: asker.owner, reason, provider, ofTeamId, connectedBefore },
    ...{ tokenId: token?.id ?? null, tokenName: token?.name ?? null, keptTokenId: asker.actor.tokenId ?? null },
    ...{ stopsConnections: stopsConnections ? 1 : 0, revokes: revokes ? 1 : 0, startedAt: clock.now() },
    ...{ phase: 'listing', listedUpTo: null, finishedAt: null, liftedAt: null },
  };
  if (!token) return { containment, used: null };
  await flushUses();
  const used = await listUsedConnections(context, { ...containment, ofTeamId: token.teamId }, token.id, newest);
  return { containment, used };
};

/** Stops the access tokens. Returns how many. */
export const stopTokens = async (tx: Transaction, containment: Containment): Promise<number> => {
  const { id: containmentId, tokenId, keptTokenId, startedAt } = containment;
  const teamId = tokensTeamOf(containment);
  if (teamId === null) return 0;
  return insertContainedTokens(tx, { containmentId, teamId, tokenId, exceptId: keptTokenId, until: startedAt });
};
