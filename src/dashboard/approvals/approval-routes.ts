import type { Caller } from '../../http/index.ts';
import { PageQuery } from '../../platform/index.ts';
import type { DashboardPage } from '../frame.ts';
import { ByPageId, type PageRoutes } from '../pages.ts';
import type { Person } from '../person.ts';
import { approvalPage } from './approval-page.ts';
import { approvalsPage } from './approvals-page.ts';
import { loadApproval, loadProviders } from './load-approval.ts';

/** Pages of what restricted tokens ask for. Opening a page never decides. */
export const approvalPageRoutes: PageRoutes = ({ page, form }, context) => {
  const { approvals } = context.integrations;

  const show = async (person: Person, caller: Caller, id: string): Promise<DashboardPage> =>
    approvalPage(person, await loadApproval(context, caller, id));

  page('/approvals', { access: 'admin', query: PageQuery }, async ({ person, caller, query }) => {
    const listed = await approvals.list(caller, query);
    const providers = await loadProviders(context, caller.teamId, listed.rows);
    return approvalsPage(person, { approvals: listed, cursor: query.cursor, providers });
  });

  page('/approvals/:id', { access: 'admin', params: ByPageId }, ({ person, caller, params }) =>
    show(person, caller, params.id),
  );

  for (const verb of ['approve', 'refuse'] as const)
    form(
      `/approvals/:id/${verb}`,
      { access: 'admin', params: ByPageId },
      async ({ caller, actor, params: { id } }) => {
        await approvals[verb](caller, actor, id);
        return `/approvals/${id}`;
      },
      ({ person, caller, params }) => show(person, caller, params.id),
    );
};
