import type { MessageFlaw } from '../reading/check-signature.ts';

/** What a person reads about the last message that wasn't accepted. */
const WORDS: Readonly<Record<MessageFlaw | 'no_secret' | 'message_malformed', string>> = {
  missing: "It wasn't signed. Check that a secret is set at the provider, too.",
  no_token: 'It had neither a signature nor a token. Check that a secret is set at the provider, too.',
  malformed: "Its signature isn't in the provider's format.",
  stale: 'It was signed too long ago. Check the clocks, and whether something holds requests back.',
  other_secret: "It was signed with another secret, or for another address. Compare both with the provider's.",
  other_token: "It had another token. Compare it with the provider's.",
  no_secret: 'No secret has been added here yet, so nothing can be verified. Add the one that the provider has.',
  unasked:
    'It brought a secret, but nobody has set this address up within the last hour. Press Set up again, and repeat it at the provider.',
  message_malformed: "It was verified, but isn't in the provider's format.",
};

export type SeenReason = keyof typeof WORDS;

export const toRefusalWords = (reason: string): string =>
  Object.hasOwn(WORDS, reason) ? WORDS[reason as SeenReason] : "It wasn't accepted.";
