import type { PageRoutes } from '../pages.ts';
import { alertsPage } from './alerts-page.ts';

export const alertRoutes: PageRoutes = ({ page }, { events }) => {
  page('/alerts', { access: 'member' }, async ({ person }) =>
    alertsPage(person, await events.alerts.list(person.team.id)),
  );
};
