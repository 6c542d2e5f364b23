import type { Send } from '../../notices/index.ts';
import type { ReportsContext } from '../context.ts';
import type { ReportView } from '../figures/view-report.ts';
import { openRecipient } from '../ledger/recipient.ts';
import type { ReportDispatch } from '../ledger/report-dispatches.ts';
import { unsubscribeUrlOf } from '../ledger/unsubscribe.ts';
import { renderMail } from '../rendering/render-mail.ts';

export const prepareMail = async (
  { vault, url, mailer }: ReportsContext,
  dispatch: ReportDispatch,
  report: ReportView,
): Promise<Send> => {
  if (!mailer)
    return async () => ({ kind: 'later', problem: 'The mail server is no longer configured (SMTP_URL, MAIL_FROM).' });
  const to = await openRecipient(vault, dispatch);
  if (to === null) throw new Error('A mail has no recipient.');
  const unsubscribeUrl = await unsubscribeUrlOf(vault, url, dispatch);
  const mail = {
    ...renderMail(report, { report: `${url}/reports/${report.week}`, unsubscribe: unsubscribeUrl }),
    to,
    // The same message ID on each attempt, so that a mail client can spot a duplicate.
    messageId: `<report-${dispatch.id}@${new URL(url).hostname}>`,
    unsubscribeUrl,
  };
  return (begin) => mailer.send(mail, begin);
};
