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
  admins: 'The recipients are saved: the admins of the team.',
  listed: 'The recipients are saved: the addresses below.',
  'slack-set': 'The next report is posted in Slack, too. Send a test message to see it come.',
  'slack-tested': 'Slack has taken the test message: look into the channel.',
  'slack-removed': 'Nothing is posted in Slack any more.',
};

/** What was typed and refused, or what has just been done. */
type Showing = { form?: RecipientsForm; problem?: Refusal; done?: string | undefined };

export const showReportSettings = async (
  { reports: { forPages } }: DashboardDependencies,
  reply: FastifyReply,
  person: Person,
  { form = toRecipientsForm(person.team), problem, done }: Showing,
): Promise<FastifyReply> => {
  const [recipients, slack] = await Promise.all([
    forPages.listRecipients(person.team),
    person.role === 'admin' ? forPages.slack.show(person.team.id) : null,
  ]);
  const notice = problem ? problemNotice(problem) : doneNotice(DONE, done);
  const page = reportSettingsPage(person, { form, recipients, slack, notice });
  return showPage(reply, person, 'settings', page, problem?.status);
};
