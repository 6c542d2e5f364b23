import { PageQuery } from '../../platform/index.ts';
import type { PageRoutes } from '../pages.ts';
import { agentsPage } from './agents-page.ts';
import { AGENTS_PATH } from './agents-path.ts';
import { loadAgents } from './load-agents.ts';

/** The page of agents. What they requested is for admins, as in the request log. */
export const agentPageRoutes: PageRoutes = ({ page }, context) => {
  const done = { removed: 'Agent removed. Its access has ended.' };

  page(AGENTS_PATH, { access: 'member', query: PageQuery, done }, async ({ person, caller, query }) =>
    agentsPage(person, await loadAgents(context, caller, query)),
  );
};
