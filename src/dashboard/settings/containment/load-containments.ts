import type { Caller } from '../../../http/index.ts';
import { FIRST_PAGE, type PageQuery } from '../../../platform/index.ts';
import type { DashboardContext } from '../../context.ts';
import type { Person } from '../../person.ts';
import { refusalOf } from '../../refusal-of.ts';
import type { EnteredContainment } from './entered-containment.ts';

/** How many tokens the form lists. */
const MOST_TOKENS = 100;

type Context = Pick<DashboardContext, 'integrations' | 'teams'>;

/** The names of providers as the catalog has them, whether or not they're connected. */
export const loadNames = async (
  { integrations }: Context,
  teamId: string,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> => {
  const only = [...new Set(ids)].filter((id) => id !== null);
  const listed = only.length === 0 ? [] : await integrations.listProviders(teamId, { only });
  return new Map(listed.map(({ id, name }) => [id, name]));
};

/** A team's access token. Null if it has ended. */
export const loadToken = async (
  { teams }: Context,
  caller: Caller,
  id: string | null,
): Promise<{ id: string; name: string } | null> => {
  let found: { id: string; name: string } | null = null;
  await refusalOf(async () => {
    if (id !== null) found = await teams.tokens.get(caller, id);
  });
  return found;
};

/** Loads what the page of all containments shows, with the form as it was filled in. */
export const loadContainments = async (
  context: Context,
  { team }: Person,
  caller: Caller,
  { query = FIRST_PAGE, entered }: { query?: PageQuery; entered?: EnteredContainment },
) => {
  const { integrations, teams } = context;
  const [connected, tokens, containments] = await Promise.all([
    integrations.listConnected(team.id),
    teams.tokens.list(caller, { limit: MOST_TOKENS }),
    integrations.containments.list(team.id, query),
  ]);
  const filtered = containments.rows.map(({ filters }) => filters.provider);
  const providers = new Map(connected.map(({ provider, name }) => [provider, name]));
  return {
    containments,
    cursor: query.cursor,
    stoppable: {
      providers: [...providers].map(([id, name]) => ({ id, name })),
      tokens: tokens.rows.filter(({ isContained }) => !isContained),
    },
    names: await loadNames(context, team.id, filtered),
    ...(entered && { entered }),
  };
};
