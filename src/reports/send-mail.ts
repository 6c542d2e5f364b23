import { renderMail } from './mail.ts';
import type { Mailer } from './mailer.ts';
import { type OpenReportDependencies, openReport } from './open-report.ts';
import { openRecipient } from './recipient.ts';
import type { ReportDelivery, Send } from './report-delivery.ts';
import { isUnsubscribed } from './report-delivery-store.ts';
import { unsubscribeUrlOf } from './unsubscribe.ts';

export type MailDependencies = OpenReportDependencies & {
  /** Null: no mail server is set. */
  mailer: Mailer | null;
};

/** Everything that can be done before anybody is asked. Null: the recipient wants no more mails. */
export const prepareMail = async (
  dependencies: MailDependencies,
  delivery: ReportDelivery,
): Promise<Send | 'unsubscribed' | null> => {
  const { database, vault, url, mailer } = dependencies;
  const { id, teamId, week, recipientHash } = delivery;
  if (await isUnsubscribed(database, teamId, recipientHash)) return 'unsubscribed';
  if (!mailer) return async () => ({ kind: 'later', problem: 'No mail server is set any more (SMTP_URL, MAIL_FROM).' });
  const report = await openReport(dependencies, teamId, week);
  if (!report) return null;
  const unsubscribeUrl = unsubscribeUrlOf(vault, url, delivery);
  const mail = {
    ...renderMail(report.view, { report: report.link, unsubscribe: unsubscribeUrl }),
    to: await openRecipient(vault, delivery),
    // The same each time: whoever gets it twice after all can tell.
    messageId: `<report-${id}@${new URL(url).hostname}>`,
    unsubscribeUrl,
  };
  return (begin) => mailer.send(mail, begin);
};
