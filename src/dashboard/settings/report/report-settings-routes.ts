import { html, Type } from '../../../platform/index.ts';
import type { DashboardPage } from '../../frame.ts';
import { problemNotice } from '../../notice.ts';
import type { PageRoutes } from '../../pages.ts';
import type { Person } from '../../person.ts';
import { refusalOf } from '../../refusal-of.ts';
import { checkForm } from '../check-form.ts';
import { explainRecipients, RecipientsChange, toRecipientsChange, toRecipientsForm } from './recipients-form.ts';
import { reportSettingsPage } from './report-settings-page.ts';

const RecipientsBody = Type.Object({ who: Type.String(), addresses: Type.String() });
const SlackBody = Type.Object({ url: Type.String({ maxLength: 2_000 }) });

const done = {
  admins: 'Recipients saved. The report goes to team admins.',
  listed: 'Recipients saved. The report goes to the addresses below.',
  'slack-set': 'The next report will also be posted to Slack. Send a test message to check.',
  'slack-tested': 'Test message sent. Check the channel.',
  'slack-removed': 'Reports are no longer posted to Slack.',
};

export const reportSettingsRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { listRecipients, slack } = context.reports;

  const showSettings = async (person: Person, filled = toRecipientsForm(person.team)): Promise<DashboardPage> => {
    const [recipients, address] = await Promise.all([
      listRecipients(person.team),
      person.role === 'admin' ? slack.show(person.team.id) : null,
    ]);
    return reportSettingsPage(person, { form: filled, recipients, slack: address });
  };

  page('/settings/report', { access: 'member', done }, ({ person }) => showSettings(person));

  form(
    '/settings/report',
    { access: 'admin', body: RecipientsBody },
    async ({ person, actor, body, request }) => {
      const change = checkForm(request, RecipientsChange, toRecipientsChange(body), explainRecipients(body));
      await context.teams.team.change(person.team.id, actor, change);
      return `/settings/report?done=${body.who === 'listed' ? 'listed' : 'admins'}`;
    },
    ({ person, body }) => showSettings(person, body),
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
    // The test is meant to find out whether Slack refuses, so a refusal isn't our failure.
    const problem = await refusalOf(() => slack.sendTest(person.team.id, actor));
    if (!problem) return '/settings/report?done=slack-tested';
    return { ...(await showSettings(person)), notice: problemNotice(problem), status: problem.status };
  });

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
