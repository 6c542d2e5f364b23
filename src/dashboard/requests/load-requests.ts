import { notFound } from '../../http/index.ts';
import { type UsedCredential, viewRequest } from '../../integrations/index.ts';
import type { DashboardContext } from '../context.ts';
import { loadPeople } from '../people.ts';
import type { Person } from '../person.ts';
import { refusalOf } from '../refusal-of.ts';
import type { People } from '../settings/audit/audit-words.ts';
import { type EnteredRequestFilter, toRequestQuery } from './request-filter.ts';
import { callerWords } from './request-words.ts';

type Context = Pick<DashboardContext, 'database' | 'integrations' | 'teams'>;

/** The person in a filter. Null if the filter names an access token or the operator. */
const userIn = (by: string): string | null => /^user:(.+)$/.exec(by)?.[1] ?? null;

const loadProviders = async ({ integrations }: Context, teamId: string, ids: readonly string[]) => {
  const only = [...new Set(ids)];
  const providers = only.length === 0 ? [] : await integrations.listProviders(teamId, { only });
  return new Map(providers.map((provider) => [provider.id, provider]));
};

type Found = { requests: readonly UsedCredential[]; people: People };

/** Names the caller that the list is filtered by, even if none of its requests are found. */
const nameCaller = async (
  { teams }: Context,
  { team, userId, role }: Person,
  by: string,
  { requests: [first], people }: Found,
): Promise<string> => {
  if (first) return callerWords(first.by, people);
  const unknown = { kind: 'proxy', id: null, name: null, via: null, userId: userIn(by) } as const;
  if (by === 'operator') return callerWords({ ...unknown, via: by }, people);
  if (unknown.userId !== null) return callerWords(unknown, people);
  const names: string[] = [];
  await refusalOf(async () => names.push((await teams.tokens.get({ teamId: team.id, userId, role }, by)).name));
  return names[0] ?? 'an access token that no longer exists';
};

/** Loads a page of the list, and the names in it. */
export const loadRequests = async (context: Context, person: Person, query: EnteredRequestFilter) => {
  const { team } = person;
  const { rows, nextCursor } = await context.integrations.listRequests(team.id, toRequestQuery(query, team.timeZone));
  const requests = rows.map(viewRequest);
  const [people, providers] = await Promise.all([
    loadPeople(context, team.id, [userIn(query.by ?? ''), ...requests.map(({ by }) => by.userId)]),
    loadProviders(context, team.id, [...(query.provider ? [query.provider] : []), ...rows.map((row) => row.provider)]),
  ]);
  const chosen = query.by ? await nameCaller(context, person, query.by, { requests, people }) : null;
  return { query, requests, nextCursor, people, providers, chosen };
};

/** Loads one request, and the names in it. */
export const loadRequest = async (context: Context, { team }: Person, id: string) => {
  const found = await context.integrations.findRequest(team.id, id);
  if (!found) throw notFound();
  const [people, providers] = await Promise.all([
    loadPeople(context, team.id, [found.userId]),
    loadProviders(context, team.id, [found.provider]),
  ]);
  return { request: viewRequest(found), people, providers };
};

export type RequestsView = Awaited<ReturnType<typeof loadRequests>> & {
  /** The base URL of the API. */
  url: string;
};
export type RequestView = Awaited<ReturnType<typeof loadRequest>>;
