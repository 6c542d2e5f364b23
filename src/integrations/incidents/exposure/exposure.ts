import { toCsvLine, toIso } from '../../../platform/index.ts';
import { getTeam, listUserNames } from '../../../teams/index.ts';
import type { ContainedConnection, Containment } from '../../containment/containment.ts';
import type { IntegrationsContext } from '../../context.ts';
import type { Exposed } from './exposed.ts';
import { listExposedRequests } from './exposed-requests.ts';
import { type HandOut, readHandOuts } from './hand-outs.ts';

/*
 * Who could have had what a connection in a ledger gives access to, before the containment started. `handed_out`: somebody
 * got an access token, and nobody knows what was done with it. `requests`: somebody made requests, as the log of the last
 * seven days says. `requests_by_hour`: requests that only the counts of 90 days have, by access token and hour.
 */

const COLUMNS = [
  ...['team', 'teamKey', 'provider', 'connection', 'accountId', 'account', 'how', 'byKind', 'byId', 'byName'],
  ...['tokenId', 'tokenName', 'first', 'last', 'count'],
];
export const EXPOSURE_HEAD = toCsvLine(COLUMNS);

type Context = Pick<IntegrationsContext, 'database' | 'vault'>;

const ofHandOut = ({ at, actor, actorId, token }: HandOut): Exposed => ({
  ...{ how: 'handed_out', byKind: actor, byId: actorId, tokenId: token?.id ?? null, tokenName: token?.name ?? null },
  ...{ first: at, last: at, count: 1 },
});

/** Who got a team's access tokens until a time, by connection: a line for each caller, however many there were. */
const groupHandOuts = async (context: Context, teamId: string, until: number): Promise<Map<string, Exposed[]>> => {
  const groups = new Map<string, Map<string, Exposed>>();
  for await (const handOut of readHandOuts(context, teamId, until)) {
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
const rememberTeams = (context: Context, until: number) => {
  const known = new Map<string, OpenTeam>();
  let remembered = 0;
  return async (teamId: string): Promise<OpenTeam> => {
    const found = known.get(teamId);
    if (found) return found;
    const team = await getTeam(context.database, teamId);
    const handOuts = await groupHandOuts(context, teamId, until);
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
export const createExposureLines = (context: Context, containment: Containment) => {
  const { database } = context;
  const { startedAt, stopsConnections, tokenId: named } = containment;
  const openTeam = rememberTeams(context, startedAt);

  return async (row: ContainedConnection): Promise<string> => {
    const { teamId, provider, name, accountId, accountLabel } = row;
    const team = await openTeam(teamId);
    const handOuts = team.handOuts.get(`${provider} ${name}`) ?? [];
    const all = [...handOuts, ...(await listExposedRequests(context, row, startedAt))];
    // If only a token is stopped, it's about what that one reached.
    const exposed = stopsConnections ? all : all.filter(({ tokenId }) => tokenId === named);
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
