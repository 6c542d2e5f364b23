import type { Caller } from '../../http/index.ts';
import type { PageQuery } from '../../platform/index.ts';
import type { DashboardContext } from '../context.ts';
import { loadDeeds } from './load-deeds.ts';

type Context = Pick<DashboardContext, 'clock' | 'integrations' | 'teams' | 'url'>;

/** Loads what the page of agents shows. `deeds`: null for a member, who may not see what was requested. */
export const loadAgents = async (context: Context, caller: Caller, { limit, cursor }: PageQuery) => {
  const { integrations, teams, url } = context;
  const [connected, agents, deeds] = await Promise.all([
    integrations.listConnected(caller.teamId),
    teams.tokens.listRestricted(caller, { limit, ...(cursor && { cursor }) }),
    caller.role === 'admin' ? loadDeeds(context, caller) : null,
  ]);
  const names = new Map(connected.map(({ provider, name }) => [provider, name]));
  return { url, agents, cursor, names, hasAccounts: connected.length > 0, deeds };
};

export type AgentsView = Awaited<ReturnType<typeof loadAgents>>;
