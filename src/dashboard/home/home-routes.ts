import type { PageRoutes } from '../pages.ts';
import { homePage } from './home-page.ts';
import { loadOverview } from './load-overview.ts';

export const homeRoutes: PageRoutes = ({ page }, context) => {
  page('/', { access: 'member', exposeHeadRoute: true }, async ({ person }) =>
    homePage(person, await loadOverview(context, person)),
  );
};
