import { type Html, html } from '../../platform/index.ts';
import type { Recipients } from '../../reports/index.ts';

const MOST_NAMED = 4;

const nameAll = (addresses: readonly string[]): string => {
  const rest = addresses.length - MOST_NAMED;
  const named = rest > 0 ? [...addresses.slice(0, MOST_NAMED), `${rest} more`] : addresses;
  return new Intl.ListFormat('en-US').format(named);
};

const waysOf = (subject: string, { addresses, slack, sendsMail }: Recipients): string => {
  const mail = sendsMail && addresses.length > 0 ? `emailed to ${nameAll(addresses)}` : null;
  const ways = [mail, slack ? 'posted to Slack' : null].filter((way) => way !== null);
  if (ways.length > 0) return `${subject} will be ${ways.join(' and ')}.`;
  return `${subject} won't be ${sendsMail ? 'sent to anyone' : 'emailed because no mail server is set up'}.`;
};

/** Says who gets the next report. `subject` is the page's word for the report. */
export const recipientsLine = (subject: string, recipients: Recipients): Html =>
  html`${waysOf(subject, recipients)} <a href="/settings/report">Recipients</a>`;
