import { firstIdAt, timeOfId } from '../../../platform/index.ts';
import { getAccessToken } from '../../../teams/index.ts';
import type { ContainedConnection } from '../../containment/containment.ts';
import type { IntegrationsContext } from '../../context.ts';
import { parseRequests } from '../../request-log/request-group.ts';
import { openRequests } from '../../request-log/request-log.ts';
import { hourOf } from '../../usage/usage-meter.ts';
import type { Exposed } from './exposed.ts';
import { type CallerUse, listCallerUses, listSealedUses, listTokenUses, type SealedUse } from './use-store.ts';

const HOUR_MS = 3_600_000;
/** How long requests may go on after the start, with time to write it down. The watch ends them much sooner. */
const ENDED_WITHIN_MS = 10_000;
/** How many groups of requests are opened for one connection. A caller has about one a second. */
const MOST_OPENED = 500;

type Context = Pick<IntegrationsContext, 'database' | 'vault'>;
type Group = Pick<CallerUse, 'kind' | 'via' | 'userId' | 'tokenId' | 'tokenName'>;

const ofRequests = (
  { kind, via, userId, tokenId, tokenName }: Group,
  times: Pick<Exposed, 'first' | 'last' | 'count'>,
): Exposed => ({
  ...{ how: 'requests', byKind: kind === 'proxy' ? via : kind, byId: via === 'operator' ? null : userId },
  ...{ tokenId, tokenName, ...times },
});

/** What of a group had begun by a time. A request under way then ends later, but may have brought much before. */
const readBegun = async (context: Context, group: SealedUse, startedAt: number): Promise<Exposed[]> => {
  const begun = parseRequests(await openRequests(context, group)).filter(({ at, ms }) => at - ms <= startedAt);
  if (begun.length === 0) return [];
  const first = Math.min(startedAt, ...begun.map(({ at }) => at));
  return [ofRequests(group, { first, last: startedAt, count: begun.length })];
};

const keyOf = ({ byKind, byId, tokenId }: Exposed): string => JSON.stringify([byKind, byId, tokenId]);

/** Adds up what the same callers did. */
const addUp = (exposed: readonly Exposed[]): Exposed[] => {
  const sums = new Map<string, Exposed>();
  for (const one of exposed) {
    const known = sums.get(keyOf(one));
    const { first, last, count } = one;
    if (known) {
      Object.assign(known, { first: Math.min(known.first, first), last: Math.max(known.last, last) });
      known.count += count;
    } else sums.set(keyOf(one), { ...one });
  }
  return [...sums.values()];
};

/** What the log has of each access token: how many requests, and the oldest. */
const sumByToken = (uses: readonly CallerUse[]): Map<string, { logged: number; oldestAt: number }> => {
  const sums = new Map<string, { logged: number; oldestAt: number }>();
  for (const { tokenId, logged, oldestId } of uses) {
    if (tokenId === null) continue;
    const sum = sums.get(tokenId) ?? { logged: 0, oldestAt: Number.POSITIVE_INFINITY };
    sums.set(tokenId, { logged: sum.logged + logged, oldestAt: Math.min(sum.oldestAt, timeOfId(oldestId)) });
  }
  return sums;
};

/**
 * Lists who made requests with a connection before a containment started: by the log, and beyond it by the counts. The
 * counts know only hours, so the hour of the start is taken as a whole, without what the log knows to be later.
 */
export const listExposedRequests = async (
  context: Context,
  row: ContainedConnection,
  startedAt: number,
): Promise<Exposed[]> => {
  const { database } = context;
  const { teamId } = row;
  const inTime = firstIdAt(startedAt + 1);
  const lastHour = hourOf(startedAt);
  const uses = await listCallerUses(database, row, { inTime, counted: firstIdAt((lastHour + 1) * HOUR_MS) });
  const before = uses.flatMap((use) =>
    use.firstId === null || use.lastId === null
      ? []
      : ofRequests(use, { first: timeOfId(use.firstId), last: timeOfId(use.lastId), count: use.requests }),
  );
  const around = { from: inTime, before: firstIdAt(startedAt + ENDED_WITHIN_MS), limit: MOST_OPENED };
  const underWay: Exposed[] = [];
  for (const group of await listSealedUses(database, row, around))
    underWay.push(...(await readBegun(context, group, startedAt)));
  const logged = sumByToken(uses);
  const counted: Exposed[] = [];
  for (const { tokenId, firstHour, lastHour: hour, requests } of await listTokenUses(database, row, lastHour)) {
    const known = logged.get(tokenId);
    const count = requests - (known?.logged ?? 0);
    if (count <= 0) continue;
    // The log loses its oldest requests first, so what it doesn't have is from before those that it has.
    const last = Math.min(startedAt, (Math.min(hour, hourOf(known?.oldestAt ?? startedAt)) + 1) * HOUR_MS);
    const tokenName = (await getAccessToken(database, teamId, tokenId))?.name ?? null;
    counted.push({
      ...{ how: 'requests_by_hour', byKind: 'token', byId: null, tokenId, tokenName },
      ...{ first: firstHour * HOUR_MS, last, count },
    });
  }
  return [...addUp([...before, ...underWay]), ...counted];
};
