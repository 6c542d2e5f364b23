import { Type } from '../../../platform/index.ts';
import { type Team, TeamSettings } from '../../../teams/index.ts';

/** The recipients as the form has them. */
export type RecipientsForm = { who: string; addresses: string };

export const RecipientsChange = Type.Pick(TeamSettings, ['reportRecipients']);

export const toRecipientsForm = ({ reportRecipients }: Team): RecipientsForm => ({
  who: reportRecipients === null ? 'admins' : 'listed',
  addresses: (reportRecipients ?? []).join('\n'),
});

const listAddresses = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((address) => address.trim())
    .filter((address) => address !== '');

/** The change that the form requests, not yet checked. */
export const toRecipientsChange = ({ who, addresses }: RecipientsForm) => ({
  reportRecipients: who === 'listed' ? listAddresses(addresses) : null,
});

export const explainRecipients =
  ({ addresses }: RecipientsForm) =>
  ([, index]: readonly string[]): string =>
    index === undefined
      ? 'Enter no more than 100 addresses.'
      : `“${listAddresses(addresses)[Number(index)]}” is not an email address. Enter one like name@example.com.`;
