import { ByPageId, type PageRoutes } from '../pages.ts';
import type { Person } from '../person.ts';
import { alertsPage } from './alerts-page.ts';

const done = { dismissed: 'Alert dismissed.' };

export const alertPageRoutes: PageRoutes = ({ page, form }, { events: { alerts }, notices }) => {
  const show = async (person: Person) => {
    const [listed, settings] = await Promise.all([
      notices.alerts.list({ teamId: person.team.id, role: person.role }),
      alerts.showSettings(person.team.id),
    ]);
    return alertsPage(person, { ...listed, listsCalls: settings.voicemail.pages && settings.missed.pages });
  };

  page('/alerts', { access: 'member', done }, ({ person }) => show(person));

  form(
    '/alerts/:id/dismiss',
    { access: 'member', params: ByPageId },
    async ({ caller, actor, params }) => {
      await alerts.dismiss(caller, actor, params.id);
      return '/alerts?done=dismissed';
    },
    ({ person }) => show(person),
  );
};
