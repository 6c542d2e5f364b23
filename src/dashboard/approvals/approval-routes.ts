import type { Caller } from '../../http/index.ts';
import type { ApprovalView } from '../../integrations/index.ts';
import { PageQuery } from '../../platform/index.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../frame.ts';
import { ByPageId, type PageRoutes } from '../pages.ts';
import type { Person } from '../person.ts';
import { refusalOf } from '../refusal-of.ts';
import { sayRights } from '../settings/tokens/rights-words.ts';
import { approvalPage } from './approval-page.ts';
import { approvalsPage } from './approvals-page.ts';

const HOUR_MS = 3_600_000;
const MOST_COUNTED = 100;

type Context = Pick<DashboardContext, 'integrations' | 'teams' | 'clock'>;

const loadProviders = async ({ integrations }: Context, teamId: string, approvals: readonly ApprovalView[]) => {
  const only = [...new Set(approvals.map(({ provider }) => provider))];
  const listed = only.length === 0 ? [] : await integrations.listProviders(teamId, { only });
  return new Map(listed.map((provider) => [provider.id, provider]));
};

/** What the token may do, in words. Empty if the token has ended. */
const loadRights = async ({ teams }: Context, caller: Caller, tokenId: string, names: ReadonlyMap<string, string>) => {
  let lines: string[] = [];
  await refusalOf(async () => {
    const { restriction } = await teams.tokens.get(caller, tokenId);
    lines = restriction ? sayRights(restriction, names) : [];
  });
  return lines;
};

const showApproval = async (context: Context, person: Person, caller: Caller, id: string): Promise<DashboardPage> => {
  const { integrations, clock } = context;
  const { teamId } = caller;
  const approval = await integrations.approvals.get(caller, id);
  const providers = await loadProviders(context, teamId, [approval]);
  const names = new Map([...providers].map(([provider, { name }]) => [provider, name]));
  const since = clock.now() - HOUR_MS;
  const [rights, recent] = await Promise.all([
    loadRights(context, caller, approval.token.id, names),
    integrations.listRequests(teamId, { limit: MOST_COUNTED, caller: approval.token.id, since }),
  ]);
  const counted = { count: recent.rows.length, hasMore: recent.nextCursor !== null };
  return approvalPage(person, { approval, providers, rights, recent: counted });
};

const done = { approved: 'Approved.', refused: 'Refused. It will not be sent.' };

/** Pages of what restricted tokens ask for. Opening a page never decides. */
export const approvalPageRoutes: PageRoutes = ({ page, form }, context) => {
  const { approvals } = context.integrations;

  page('/approvals', { access: 'admin', query: PageQuery }, async ({ person, caller, query }) => {
    const listed = await approvals.list(caller, query);
    const providers = await loadProviders(context, caller.teamId, listed.rows);
    return approvalsPage(person, { approvals: listed, cursor: query.cursor, providers });
  });

  page('/approvals/:id', { access: 'admin', params: ByPageId, done }, ({ person, caller, params }) =>
    showApproval(context, person, caller, params.id),
  );

  for (const [verb, what] of [
    ['approve', 'approved'],
    ['refuse', 'refused'],
  ] as const)
    form(
      `/approvals/:id/${verb}`,
      { access: 'admin', params: ByPageId },
      async ({ caller, actor, params: { id } }) => {
        await approvals[verb](caller, actor, id);
        return `/approvals/${id}?done=${what}`;
      },
      ({ person, caller, params }) => showApproval(context, person, caller, params.id),
    );
};
