import { Type } from '../../../platform/index.ts';
import { type Team, TeamSettings } from '../../../teams/index.ts';

/** Who is to get the mail, as the form holds it. */
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

/** The change that the form asks for, not checked yet. */
export const toRecipientsChange = ({ who, addresses }: RecipientsForm) => ({
  reportRecipients: who === 'listed' ? listAddresses(addresses) : null,
});

export const explainRecipients =
  ({ addresses }: RecipientsForm) =>
  ([, index]: readonly string[]): string =>
    index === undefined
      ? 'The list has more than 100 addresses.'
      : `“${listAddresses(addresses)[Number(index)]}” is not a mail address: give one like name@example.com.`;
