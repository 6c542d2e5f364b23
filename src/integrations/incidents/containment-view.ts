import type { Static } from 'typebox';
import { type Queries, Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import type { Catalogue } from '../catalogue/provider.ts';
import { Account } from '../catalogue/schemas.ts';
import { CONTAINED_STATES, type ContainedConnection, type Containment, stateOf } from '../containment/containment.ts';

const Text = Type.String();
const Time = Type.String({ format: 'date-time' });
const TextOrNull = Type.Union([Text, Type.Null()]);
const TimeOrNull = Type.Union([Time, Type.Null()]);

const ContainedTeam = Type.Object({ id: Text, key: TextOrNull, name: TextOrNull }, { title: 'ContainedTeam' });

const Filters = Type.Object(
  {
    provider: TextOrNull,
    team: Type.Union([ContainedTeam, Type.Null()]),
    connectedBefore: TimeOrNull,
    token: Type.Union([Type.Object({ id: Text, name: TextOrNull }), Type.Null()]),
  },
  { title: 'ContainmentFilters' },
);

export const ContainmentView = Type.Object(
  {
    id: Text,
    by: Type.Enum(['team', 'operator'], { description: 'Who began it, and can lift it' }),
    reason: Text,
    filters: Filters,
    revoke: Type.Boolean(),
    stopsConnections: Type.Boolean({
      description: 'If not, only its access token is stopped, and its connections are what that was used with',
    }),
    state: Type.Enum(['active', 'finished', 'lifted'], {
      description: '`finished`: whatever can be revoked is revoked. It stays in force until it is lifted',
    }),
    listing: Type.Boolean({ description: 'Whether the list of its connections is still being made' }),
    startedAt: Time,
    finishedAt: TimeOrNull,
    liftedAt: TimeOrNull,
  },
  { title: 'Containment' },
);
export type ContainmentView = Static<typeof ContainmentView>;

export const ContainedView = Type.Object(
  {
    team: ContainedTeam,
    provider: Text,
    connection: Text,
    account: Account,
    state: Type.Union([Type.Enum(CONTAINED_STATES), Type.Null()], {
      description:
        "`shared`: another connection that isn't contained uses the same grant. `pending`: it's being revoked. `failed`: given up after seven days. `unsupported`: the provider can't revoke it. `unknown`: nobody has found out how. Null if nothing is to be revoked",
    }),
    at: Time,
    where: Type.Union([Text, Type.Null()], {
      description: 'Where a person can remove access, if Patchbay cannot and the page is known',
    }),
  },
  { title: 'ContainedConnection' },
);
export type ContainedView = Static<typeof ContainedView>;

const viewTeam = async (queries: Queries, teamId: string): Promise<Static<typeof ContainedTeam>> => {
  const team = await getTeam(queries, teamId);
  return { id: teamId, key: team?.key ?? null, name: team?.name ?? null };
};

export const viewContainment = async (queries: Queries, containment: Containment): Promise<ContainmentView> => {
  const { id, teamId, reason, provider, ofTeamId, connectedBefore, tokenId, tokenName, revokes, phase } = containment;
  const { stopsConnections, startedAt, finishedAt, liftedAt } = containment;
  return {
    ...{ id, by: teamId === null ? 'operator' : 'team', reason },
    filters: {
      provider,
      team: ofTeamId === null ? null : await viewTeam(queries, ofTeamId),
      connectedBefore: toIsoOrNull(connectedBefore),
      token: tokenId === null ? null : { id: tokenId, name: tokenName },
    },
    revoke: revokes === 1,
    stopsConnections: stopsConnections === 1,
    state: stateOf(containment),
    listing: phase === 'listing',
    startedAt: toIso(startedAt),
    finishedAt: toIsoOrNull(finishedAt),
    liftedAt: toIsoOrNull(liftedAt),
  };
};

/** Who has to remove access: a person, at the provider's page. */
const BY_HAND: readonly ContainedConnection['state'][] = ['unsupported', 'unknown', 'failed'];

/** Views a page of a ledger. Reads each team once. */
export const viewContained = async (
  queries: Queries,
  catalogue: Catalogue,
  { revokes, liftedAt }: Containment,
  rows: readonly ContainedConnection[],
): Promise<ContainedView[]> => {
  const ids = [...new Set(rows.map(({ teamId }) => teamId))];
  const teams = new Map(await Promise.all(ids.map(async (id) => [id, await viewTeam(queries, id)] as const)));
  return rows.map(({ teamId, provider, name, accountId, accountLabel, state, changedAt }) => {
    const shown = state ?? (revokes === 1 && liftedAt === null ? 'pending' : null);
    return {
      team: teams.get(teamId) ?? { id: teamId, key: null, name: null },
      ...{ provider, connection: name, account: { id: accountId, label: accountLabel } },
      ...{ state: shown, at: toIso(changedAt) },
      where: BY_HAND.includes(shown) ? (catalogue.get(provider)?.record.removal ?? null) : null,
    };
  });
};

/** Where to read about it: in the team that it's about, or for the operator. */
export const containmentUrl = (url: string, { id, ofTeamId }: Containment): string =>
  `${url}/api/${ofTeamId === null ? 'operator/' : ''}containments/${id}`;
