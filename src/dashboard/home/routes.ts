import type { Routes } from '../../http/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { PAGE } from '../page-route.ts';
import { loadPerson } from '../person.ts';
import { showPage } from '../show-page.ts';
import { homePage } from './home-page.ts';
import { loadOverview } from './load-overview.ts';

export const homePages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get('/', { schema: { hide: true }, config: PAGE, exposeHeadRoute: true }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const overview = await loadOverview(dependencies, person.team.id);
      return showPage(reply, person, 'home', homePage(person, overview));
    });
  };
