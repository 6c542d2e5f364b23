import { html, Type } from '../../../platform/index.ts';
import { weekAt } from '../../../reports/index.ts';
import type { DashboardPage } from '../../frame.ts';
import { problemNotice } from '../../notice.ts';
import type { PageRoutes } from '../../pages.ts';
import type { Person } from '../../person.ts';
import { refusalOf } from '../../refusal-of.ts';
import { checkForm } from '../check-form.ts';
import { explainRecipients, RecipientsChange, toRecipientsChange, toRecipientsForm } from './recipients-form.ts';
import { reportSettingsPage } from './report-settings-page.ts';
import { SCHEDULE_FLAW, ScheduleChange, toScheduleChange, toScheduleForm } from './schedule-form.ts';

const Body = Type.Object({ who: Type.String(), addresses: Type.String(), day: Type.String(), hour: Type.String() });
const SlackBody = Type.Object({ url: Type.String({ maxLength: 2_000 }) });

const done = {
  admins: 'Settings saved. The report goes to team admins.',
  listed: 'Settings saved. The report goes to the addresses below.',
  'admins-later': "Settings saved. Email isn't set up yet. Once it is, the report goes to team admins.",
  'listed-later': "Settings saved. Email isn't set up yet. Once it is, the report goes to the addresses below.",
  'slack-set': 'The next report will also be posted to Slack, and so are alerts. Send a test message to check.',
  'slack-tested': 'Test message sent. Check the channel.',
  'slack-removed': 'Reports are no longer posted to Slack.',
};

/** The values of a form that was refused. */
type Filled = Partial<Pick<Parameters<typeof reportSettingsPage>[1], 'form' | 'schedule'>>;

export const reportSettingsRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { listRecipients, showDue, slack } = context.reports;

  const showSettings = async (
    person: Person,
    { form: filled = toRecipientsForm(person.team), schedule = toScheduleForm(person.team) }: Filled = {},
  ): Promise<DashboardPage> => {
    const [recipients, due, address] = await Promise.all([
      listRecipients(person.team),
      showDue(person.team),
      person.role === 'admin' ? slack.show(person.team.id) : null,
    ]);
    const current = weekAt(context.clock.now(), person.team.timeZone);
    return reportSettingsPage(person, { form: filled, schedule, due, current, recipients, slack: address });
  };

  page('/settings/report', { access: 'member', done }, ({ person }) => showSettings(person));

  form(
    '/settings/report',
    { access: 'admin', body: Body },
    async ({ person, actor, body, request }) => {
      const change = {
        ...checkForm(request, ScheduleChange, toScheduleChange(body), () => SCHEDULE_FLAW),
        ...checkForm(request, RecipientsChange, toRecipientsChange(body), explainRecipients(body)),
      };
      await context.teams.team.change(person.team.id, actor, change);
      const { sendsMail } = await listRecipients(person.team);
      return `/settings/report?done=${body.who === 'listed' ? 'listed' : 'admins'}${sendsMail ? '' : '-later'}`;
    },
    ({ person, body }) => showSettings(person, { form: body, schedule: body }),
  );

  form(
    '/settings/report/slack',
    { access: 'admin', body: SlackBody },
    async ({ caller, actor, body }) => {
      await slack.set(caller, body.url.trim(), actor);
      return '/settings/report?done=slack-set';
    },
    ({ person }) => showSettings(person),
  );

  form('/settings/report/slack/test', { access: 'admin' }, async ({ person, actor }) => {
    // If Slack refuses the test message, show the reason on the page.
    const problem = await refusalOf(() => slack.sendTest(person.team.id, actor));
    if (!problem) return '/settings/report?done=slack-tested';
    return { ...(await showSettings(person)), notice: problemNotice(problem), status: problem.status };
  });

  // These paths are in the browser's address bar after a form was sent. Opening them leads back to the settings.
  for (const path of ['/settings/report/slack', '/settings/report/slack/test'])
    page(path, { access: 'admin' }, () => '/settings/report');

  confirm(
    '/settings/report/slack/remove',
    { access: 'admin' },
    () => ({
      title: 'Stop posting to Slack?',
      content: html`<p>The webhook URL is deleted. To post again, you'll have to enter it again.</p>`,
      button: 'Stop posting',
      back: '/settings/report',
    }),
    async ({ person, actor }) => {
      await slack.remove(person.team.id, actor);
      return '/settings/report?done=slack-removed';
    },
  );
};
