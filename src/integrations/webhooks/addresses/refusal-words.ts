import type { MessageFlaw } from '../reading/check-signature.ts';

/** What a person reads about the last message that wasn't accepted. */
const WORDS: Readonly<Record<MessageFlaw | 'message_malformed', string>> = {
  missing: "It wasn't signed. Check that a secret is set at the provider, too.",
  malformed: "Its signature isn't in the provider's format.",
  stale: 'It was signed too long ago. Check the clocks, and whether something holds requests back.',
  other_secret: "It was signed with another secret, or for another address. Compare both with the provider's.",
  unasked:
    'It brought a secret, but nobody has set this address up within the last hour. Press Set up again, and repeat it at the provider.',
  message_malformed: "It was signed, but isn't in the provider's format.",
};

export type SeenReason = keyof typeof WORDS;

export const toRefusalWords = (reason: string): string =>
  Object.hasOwn(WORDS, reason) ? WORDS[reason as SeenReason] : "It wasn't accepted.";
