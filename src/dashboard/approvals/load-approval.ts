import type { Caller } from '../../http/index.ts';
import type { ApprovalView } from '../../integrations/index.ts';
import type { DashboardContext } from '../context.ts';
import { refusalOf } from '../refusal-of.ts';
import { type SaidRight, sayRights } from '../settings/tokens/rights-words.ts';
import type { ApprovalPageView } from './approval-page.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_COUNTED = 100;

type Context = Pick<DashboardContext, 'integrations' | 'teams' | 'clock'>;

export const loadProviders = async (
  { integrations }: Context,
  teamId: string,
  approvals: readonly Pick<ApprovalView, 'provider'>[],
) => {
  const only = [...new Set(approvals.map(({ provider }) => provider))];
  const listed = only.length === 0 ? [] : await integrations.listProviders(teamId, { only });
  return new Map(listed.map((provider) => [provider.id, provider]));
};

/** What the token may do, in words, and the client that it was granted to. Both are empty if the token has ended. */
const loadToken = async ({ teams }: Context, caller: Caller, tokenId: string, names: ReadonlyMap<string, string>) => {
  const found: { rights: SaidRight[]; client: string | null } = { rights: [], client: null };
  await refusalOf(async () => {
    const { restriction, client } = await teams.tokens.get(caller, tokenId);
    Object.assign(found, { client, rights: restriction ? sayRights(restriction, names) : [] });
  });
  return found;
};

/** Lists the other requests that wait, the one that expires first at the front. */
const listWaiting = async ({ integrations }: Context, caller: Caller, id: string): Promise<ApprovalView[]> => {
  const { rows } = await integrations.approvals.list(caller, { state: 'waiting', limit: MOST_COUNTED });
  return rows
    .filter((other) => other.id !== id)
    .sort((one, other) => Date.parse(one.expiresAt) - Date.parse(other.expiresAt));
};

/** Loads what the page of an approval shows. */
export const loadApproval = async (context: Context, caller: Caller, id: string): Promise<ApprovalPageView> => {
  const { integrations, clock } = context;
  const { teamId } = caller;
  const approval = await integrations.approvals.get(caller, id);
  const providers = await loadProviders(context, teamId, [approval]);
  const names = new Map([...providers].map(([provider, { name }]) => [provider, name]));
  const since = clock.now() - HOUR_MS;
  const [token, recent, waiting] = await Promise.all([
    loadToken(context, caller, approval.token.id, names),
    integrations.listRequests(teamId, { limit: MOST_COUNTED, caller: approval.token.id, since }),
    listWaiting(context, caller, id),
  ]);
  const counted = { count: recent.rows.length, hasMore: recent.nextCursor !== null };
  return { approval, providers, ...token, recent: counted, waiting };
};
