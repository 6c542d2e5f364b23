import type { PageRoutes } from '../pages.ts';
import { homePage } from './home-page.ts';
import { loadOverview } from './load-overview.ts';

const done = { dismissed: 'The list is dismissed, for all admins of your team.' };

export const homeRoutes: PageRoutes = ({ page, form }, context) => {
  page('/', { access: 'member', exposeHeadRoute: true, done }, async ({ person }) =>
    homePage(person, await loadOverview(context, person)),
  );

  form('/checklist/dismiss', { access: 'admin' }, async ({ person }) => {
    await context.teams.team.dismissChecklist(person.team.id);
    return '/?done=dismissed';
  });
};
