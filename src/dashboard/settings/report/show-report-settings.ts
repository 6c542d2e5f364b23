import type { FastifyReply } from 'fastify';
import type { Refusal } from '../../../platform/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { problemNotice } from '../../form.ts';
import { doneNotice } from '../../notice.ts';
import type { Person } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { type RecipientsForm, toRecipientsForm } from './recipients-form.ts';
import { reportSettingsPage } from './report-settings-page.ts';

const DONE = {
  admins: 'Recipients saved. The report goes to team admins.',
  listed: 'Recipients saved. The report goes to the addresses below.',
  'slack-set': 'The next report will also be posted to Slack. Send a test message to check.',
  'slack-tested': 'Test message sent. Check the channel.',
  'slack-removed': 'Reports are no longer posted to Slack.',
};

/** What was typed and refused, or what has just been done. */
type Showing = { form?: RecipientsForm; problem?: Refusal; done?: string | undefined };

export const showReportSettings = async (
  { reports }: DashboardDependencies,
  reply: FastifyReply,
  person: Person,
  { form = toRecipientsForm(person.team), problem, done }: Showing,
): Promise<FastifyReply> => {
  const [recipients, slack] = await Promise.all([
    reports.listRecipients(person.team),
    person.role === 'admin' ? reports.slack.show(person.team.id) : null,
  ]);
  const notice = problem ? problemNotice(problem) : doneNotice(DONE, done);
  const page = reportSettingsPage(person, { form, recipients, slack, notice });
  return showPage(reply, person, 'settings', page, problem?.status);
};
