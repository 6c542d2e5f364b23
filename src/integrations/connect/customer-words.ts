import type { Refusal } from '../../platform/index.ts';

const UNAVAILABLE = 'This integration isn’t available right now.';

/**
 * Messages for customers' users, by the refusal's code. They replace messages that address the operator or name
 * Patchbay.
 */
const WORDS = new Map([
  ['http.invalid_input', 'This link isn’t valid. Go back and try again.'],
  ['integrations.not_configured', UNAVAILABLE],
  ['integrations.own_credentials_needed', UNAVAILABLE],
  ['integrations.issuer_away', UNAVAILABLE],
  ['integrations.connection_limit', 'Your team has as many connections as it can have. Disconnect one first.'],
  ['integrations.state_missing', 'This response doesn’t belong to anything that was started here. Start again.'],
]);

export const customerWords = ({ code, message }: Pick<Refusal, 'code' | 'message'>): string =>
  WORDS.get(code) ?? message;
