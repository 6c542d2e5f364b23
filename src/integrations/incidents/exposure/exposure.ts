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

const ofHandOut = ({ at, actor, actorId, token }: HandOut): Exposed => ({
  ...{ how: 'handed_out', byKind: actor, byId: actorId, tokenId: token?.id ?? null, tokenName: token?.name ?? null },
  ...{ first: at, last: at, count: 1 },
});

const ofCaller = ({ kind, via, userId, tokenId, tokenName, firstId, lastId, requests }: CallerUse): Exposed => ({
  ...{ how: 'requests', byKind: kind === 'proxy' ? via : kind, byId: via === 'operator' ? null : userId },
  ...{ tokenId, tokenName, first: timeOfId(firstId), last: timeOfId(lastId), count: requests },
});

const ofToken = ({ tokenId, firstHour, lastHour, requests }: TokenUse, tokenName: string | null): Exposed => ({
  ...{ how: 'requests_by_hour', byKind: 'token', byId: null, tokenId, tokenName },
  ...{ first: firstHour * HOUR_MS, last: (lastHour + 1) * HOUR_MS, count: requests },
});

/** Who got a team's access tokens, by connection: a line for each caller, however many there were. */
const groupHandOuts = async (context: Context, teamId: string): Promise<Map<string, Exposed[]>> => {
  const groups = new Map<string, Map<string, Exposed>>();
  for await (const handOut of readHandOuts(context, teamId)) {
    const { provider, connection, actor, actorId, token, at } = handOut;
    const key = `${provider} ${connection}`;
    const group = groups.get(key) ?? new Map<string, Exposed>();
    groups.set(key, group);
    const by = JSON.stringify([actor, actorId, token?.id]);
    const exposed = group.get(by);
    // They are read newest first.
    if (exposed) Object.assign(exposed, { first: at, count: exposed.count + 1 });
    else group.set(by, ofHandOut(handOut));
  }
  return new Map([...groups].map(([key, group]) => [key, [...group.values()]]));
};

type OpenTeam = { key: string | null; name: string; handOuts: Map<string, Exposed[]> };

/** How much is remembered: teams, and the lines of their hand-outs. */
const MOST_REMEMBERED = 20_000;

/** Reads a team and its hand-outs once, because the connections of teams alternate in a ledger. */
const rememberTeams = (context: Context) => {
  const known = new Map<string, OpenTeam>();
  let remembered = 0;
  return async (teamId: string): Promise<OpenTeam> => {
    const found = known.get(teamId);
    if (found) return found;
    const team = await getTeam(context.database, teamId);
    const handOuts = await groupHandOuts(context, teamId);
    const opened = { key: team?.key ?? null, name: team?.name ?? teamId, handOuts };
    const size = 1 + [...handOuts.values()].reduce((sum, { length }) => sum + length, 0);
    if (remembered + size > MOST_REMEMBERED) {
      known.clear();
      remembered = 0;
    }
    known.set(teamId, opened);
    remembered += size;
    return opened;
  };
};

/** Prints who could have had what the connections of a ledger give access to. */
export const createExposureLines = (context: Context) => {
  const { database } = context;
  const openTeam = rememberTeams(context);

  const listOf = async (row: ContainedConnection, handOuts: readonly Exposed[]): Promise<Exposed[]> => {
    const { teamId, connectionId } = row;
    const byToken = await Promise.all(
      (await listTokenUses(database, teamId, connectionId)).map(async (use) =>
        ofToken(use, (await getAccessToken(database, teamId, use.tokenId))?.name ?? null),
      ),
    );
    const byCaller = (await listCallerUses(database, row)).map(ofCaller);
    return [...handOuts, ...byCaller, ...byToken];
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
