import { addAsset } from '../../../http/index.ts';
import { Refusal, Type } from '../../../platform/index.ts';
import { isNeverOpen } from '../../../teams/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { checkForm } from '../check-form.ts';
import { HOURS_SCRIPT } from './hours-fields.ts';
import { copyToAllDays, findHourFlaws } from './hours-form.ts';
import { explainTeamForm, readTeamForm, TeamChange, type TeamForm, toTeamChange, toTeamForm } from './team-form.ts';
import { teamPage } from './team-page.ts';

const neverOpen = (): Refusal =>
  new Refusal(
    400,
    'dashboard.never_open',
    'All seven days are empty or closed. Enter hours for at least one day, or choose “No fixed hours”.',
  );

const refuseFlaws = ({ hasHours, days }: TeamForm): void => {
  const flaws = [...findHourFlaws(hasHours ? days : []).values()];
  if (flaws.length > 0) throw new Refusal(400, 'dashboard.hours_invalid', flaws.join(' '));
};

export const teamPageRoutes: PageRoutes = ({ server, page, form }, { teams }) => {
  addAsset(server, HOURS_SCRIPT);

  page('/settings', { access: 'member', done: { saved: 'Settings saved.' } }, ({ person }) =>
    teamPage(person, toTeamForm(person.team)),
  );

  form(
    '/settings',
    { access: 'admin', body: Type.Record(Type.String(), Type.String()) },
    async ({ person, actor, body, request }) => {
      const filled = readTeamForm(body);
      const { copy } = body;
      if (copy !== undefined) {
        const days = copyToAllDays(filled.days, copy);
        return teamPage(person, { ...filled, days }, { copied: copy });
      }
      refuseFlaws(filled);
      const change = checkForm(request, TeamChange, toTeamChange(filled), explainTeamForm);
      if (change.businessHours && isNeverOpen(change.businessHours)) throw neverOpen();
      await teams.team.change(person.team.id, actor, change);
      return '/settings?done=saved';
    },
    ({ person, body }) => {
      const filled = readTeamForm(body);
      return teamPage(person, filled, { flaws: findHourFlaws(filled.days) });
    },
  );
};
