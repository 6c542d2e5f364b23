import { timeOfId, toCsvLine, toIso } from '../../../platform/index.ts';
import { getAccessToken, getTeam, listUserNames } from '../../../teams/index.ts';
import type { ContainedConnection } from '../../containment/containment.ts';
import type { IntegrationsContext } from '../../context.ts';
import { type HandOut, readHandOuts } from './hand-outs.ts';
import { type CallerUse, listCallerUses, listTokenUses, type TokenUse } from './use-store.ts';

/*
 * Who could have had what a contained connection gives access to. `handed_out`: somebody got an access token, and nobody
 * knows what was done with it. `requests`: somebody made requests, of the last seven days. `requests_by_hour`: the same for
 * 90 days, by access token and hour.
 */

const HOUR_MS = 3_600_000;
const COLUMNS = [
  ...['team', 'teamKey', 'provider', 'connection', 'accountId', 'account', 'how', 'byKind', 'byId', 'byName'],
  ...['tokenId', 'tokenName', 'first', 'last', 'count'],
];
export const EXPOSURE_HEAD = toCsvLine(COLUMNS);

type Exposed = {
  how: string;
  byKind: string;
  byId: string | null;
  tokenId: string | null;
  tokenName: string | null;
  first: number;
  last: number;
  count: number;
};

type Context = Pick<IntegrationsContext, 'database'>;

const ofHandOuts = (handOuts: readonly HandOut[]): Exposed[] => {
  const groups = Map.groupBy(handOuts, ({ actor, actorId, token }) => JSON.stringify([actor, actorId, token?.id]));
  return [...groups.values()].flatMap((group): Exposed[] => {
    const [newest, oldest] = [group[0], group.at(-1)];
    if (!newest || !oldest) return [];
    const { actor: byKind, actorId: byId, token } = newest;
    const by = { byKind, byId, tokenId: token?.id ?? null, tokenName: token?.name ?? null };
    return [{ how: 'handed_out', ...by, first: oldest.at, last: newest.at, count: group.length }];
  });
};

const ofCaller = ({ kind, via, userId, tokenId, tokenName, firstId, lastId, requests }: CallerUse): Exposed => ({
  ...{ how: 'requests', byKind: kind === 'proxy' ? via : kind, byId: via === 'operator' ? null : userId },
  ...{ tokenId, tokenName, first: timeOfId(firstId), last: timeOfId(lastId), count: requests },
});

const ofToken = ({ tokenId, firstHour, lastHour, requests }: TokenUse, tokenName: string | null): Exposed => ({
  ...{ how: 'requests_by_hour', byKind: 'token', byId: null, tokenId, tokenName },
  ...{ first: firstHour * HOUR_MS, last: (lastHour + 1) * HOUR_MS, count: requests },
});

/** A team's hand-outs by connection. Read once for all connections of the team. */
const groupHandOuts = async (context: Context, teamId: string): Promise<Map<string, HandOut[]>> => {
  const groups = new Map<string, HandOut[]>();
  for await (const handOut of readHandOuts(context, teamId)) {
    const key = `${handOut.provider} ${handOut.connection}`;
    const known = groups.get(key);
    if (known) known.push(handOut);
    else groups.set(key, [handOut]);
  }
  return groups;
};

/** Prints who could have had what the connections of a ledger give access to. Remembers one team at a time. */
export const createExposureLines = (context: Context) => {
  const { database } = context;
  let known: { teamId: string; key: string | null; name: string; handOuts: Map<string, HandOut[]> } | null = null;

  const openTeam = async (teamId: string) => {
    if (known?.teamId === teamId) return known;
    const team = await getTeam(database, teamId);
    known = {
      ...{ teamId, key: team?.key ?? null, name: team?.name ?? teamId },
      handOuts: await groupHandOuts(context, teamId),
    };
    return known;
  };

  const listOf = async (row: ContainedConnection, handOuts: readonly HandOut[]): Promise<Exposed[]> => {
    const { teamId, connectionId } = row;
    const byToken = await Promise.all(
      (await listTokenUses(database, teamId, connectionId)).map(async (use) =>
        ofToken(use, (await getAccessToken(database, teamId, use.tokenId))?.name ?? null),
      ),
    );
    const byCaller = (await listCallerUses(database, row)).map(ofCaller);
    return [...ofHandOuts(handOuts), ...byCaller, ...byToken];
  };

  return async (row: ContainedConnection): Promise<string> => {
    const { teamId, provider, name, accountId, accountLabel } = row;
    const team = await openTeam(teamId);
    const exposed = await listOf(row, team.handOuts.get(`${provider} ${name}`) ?? []);
    const people = await listUserNames(
      database,
      teamId,
      exposed.flatMap(({ byId }) => byId ?? []),
    );
    const names = new Map(people.map((person) => [person.id, person.name ?? person.email ?? '']));
    return exposed
      .map(({ how, byKind, byId, tokenId, tokenName, first, last, count }) =>
        toCsvLine([
          ...[team.name, team.key, provider, name, accountId, accountLabel],
          ...[how, byKind, byId, byId === null ? null : (names.get(byId) ?? null), tokenId, tokenName],
          ...[toIso(first), toIso(last), String(count)],
        ]),
      )
      .join('');
  };
};
