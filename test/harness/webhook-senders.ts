/** Providers as they send webhooks: one function for each, which makes the headers that prove the message. */
export * from './webhook-senders/for-teams.ts';
export * from './webhook-senders/made-by-hand.ts';
export * from './webhook-senders/made-by-sdk.ts';
export type { SignAs, SignedMessage, Signing } from './webhook-senders/signing.ts';
export * from './webhook-senders/with-other-proofs.ts';
