import { Refusal, Type } from '../../../platform/index.ts';
import { isNeverOpen } from '../../../teams/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { checkForm } from '../check-form.ts';
import { explainTeamForm, readTeamForm, TeamChange, toTeamChange, toTeamForm } from './team-form.ts';
import { teamPage } from './team-page.ts';

const neverOpen = (): Refusal =>
  new Refusal(
    400,
    'dashboard.never_open',
    'All seven days are empty or closed. Enter hours for at least one day, or choose “No fixed hours”.',
  );

export const teamRoutes: PageRoutes = ({ page, form }, { teams }) => {
  page('/settings', { access: 'member', done: { saved: 'Settings saved.' } }, ({ person }) =>
    teamPage(person, toTeamForm(person.team)),
  );

  form(
    '/settings',
    { access: 'admin', body: Type.Record(Type.String(), Type.String()) },
    async ({ person, actor, body, request }) => {
      const filled = readTeamForm(body);
      const change = checkForm(request, TeamChange, toTeamChange(filled), explainTeamForm(filled));
      if (change.businessHours && isNeverOpen(change.businessHours)) throw neverOpen();
      await teams.team.change(person.team.id, actor, change);
      return '/settings?done=saved';
    },
    ({ person, body }) => teamPage(person, readTeamForm(body)),
  );
};
