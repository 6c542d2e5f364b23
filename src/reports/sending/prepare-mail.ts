import type { Mailer } from '../../platform/index.ts';
import { type OpenReportDependencies, openReport } from '../figures/open-report.ts';
import { openRecipient } from '../ledger/recipient.ts';
import type { ReportDelivery, Send } from '../ledger/report-delivery.ts';
import { unsubscribeUrlOf } from '../ledger/unsubscribe.ts';
import { renderMail } from '../rendering/mail.ts';

export type PrepareMailDependencies = OpenReportDependencies & {
  /** Null: no mail server is set. */
  mailer: Mailer | null;
};

export const prepareMail = async (dependencies: PrepareMailDependencies, delivery: ReportDelivery): Promise<Send> => {
  const { vault, url, mailer } = dependencies;
  if (!mailer)
    return async () => ({ kind: 'later', problem: 'The mail server is no longer configured (SMTP_URL, MAIL_FROM).' });
  const { view, link } = await openReport(dependencies, delivery);
  const unsubscribeUrl = await unsubscribeUrlOf(vault, url, delivery);
  const mail = {
    ...renderMail(view, { report: link, unsubscribe: unsubscribeUrl }),
    to: await openRecipient(vault, delivery),
    // The same each time, so that a mail client can spot a duplicate.
    messageId: `<report-${delivery.id}@${new URL(url).hostname}>`,
    unsubscribeUrl,
  };
  return (begin) => mailer.send(mail, begin);
};
