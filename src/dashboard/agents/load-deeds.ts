import type { Caller } from '../../http/index.ts';
import { type ApprovalView, type UsedCredential, viewRequest } from '../../integrations/index.ts';
import { loadProviders } from '../approvals/load-approval.ts';
import type { DashboardContext } from '../context.ts';

/** How many are shown. */
const MOST_DEEDS = 20;
/** Among how many agents, the newest, those that were used last are looked for. */
const MOST_AGENTS = 100;
/** How many agents are looked up in the request log. In a long log, that can take a tenth of a second for each. */
const MOST_ACTIVE = 10;
/**
 * How much later than an agent was used its last request can have ended: it's noted at most once a minute, when a
 * request begins, and a request can take long.
 */
const ENDS_WITHIN_MS = 3_600_000;

type Context = Pick<DashboardContext, 'clock' | 'integrations' | 'teams'>;

/** What an agent requested: a request that was sent, or one that had to wait for an approval. */
export type Deed = { at: number } & ({ request: UsedCredential } | { approval: ApprovalView });

const byNewestDeed = (one: Deed, other: Deed): number => other.at - one.at;

type ActiveAgent = { id: string; usedAt: number };

/** The agents that were used and may send requests, the one that was used last at the front. */
const listActive = async ({ teams }: Context, caller: Caller): Promise<ActiveAgent[]> => {
  const { rows } = await teams.tokens.listRestricted(caller, { limit: MOST_AGENTS });
  return rows
    .flatMap(({ id, usedAt, restriction }) =>
      usedAt === null || (restriction?.allow ?? []).length === 0 ? [] : [{ id, usedAt }],
    )
    .sort((one, other) => other.usedAt - one.usedAt)
    .slice(0, MOST_ACTIVE);
};

/**
 * Lists the latest requests of agents. Looks them up agent by agent, each with the index by caller, until the agents
 * that are left weren't used since the oldest request on the list. What was approved is in the list of approvals.
 */
const listSent = async (context: Context, caller: Caller): Promise<Deed[]> => {
  let sent: Deed[] = [];
  for (const { id, usedAt } of await listActive(context, caller)) {
    const since = sent.length < MOST_DEEDS ? 0 : (sent.at(-1)?.at ?? 0);
    if (usedAt + ENDS_WITHIN_MS < since) break;
    const query = { limit: MOST_DEEDS, caller: id, since, isSent: true };
    const { rows } = await context.integrations.listRequests(caller.teamId, query);
    const found = rows
      .filter(({ kind }) => kind !== 'hand_out' && kind !== 'approval')
      .map((row) => ({ at: row.at, request: viewRequest(row) }));
    sent = [...sent, ...found].sort(byNewestDeed).slice(0, MOST_DEEDS);
  }
  return sent;
};

const listAsked = async ({ integrations }: Context, caller: Caller): Promise<Deed[]> => {
  const { rows } = await integrations.approvals.list(caller, { limit: MOST_DEEDS });
  return rows.map((approval) => ({ at: Date.parse(approval.requestedAt), approval }));
};

/** Loads what agents requested last, newest first, and the providers in it. */
export const loadDeeds = async (context: Context, caller: Caller) => {
  const found = await Promise.all([listSent(context, caller), listAsked(context, caller)]);
  const rows = found.flat().sort(byNewestDeed).slice(0, MOST_DEEDS);
  const about = rows.map((deed) => ('request' in deed ? deed.request : deed.approval));
  return { rows, providers: await loadProviders(context, caller.teamId, about) };
};

export type DeedsView = Awaited<ReturnType<typeof loadDeeds>>;
