/** What happened, and what to do about it. `{name}` is the provider. */
type Words = readonly [what: string, next: string];

const AGAIN = 'Try connecting again.';
const SOON = 'Try connecting again in a few minutes.';
const CHECK_CLIENT = "An admin can check the client ID and secret in the provider's setup.";

/** Every refusal that a connect may return with. */
const WORDS: Readonly<Record<string, Words>> = {
  access_denied: ['The request was declined at {name}.', 'If that was a mistake, connect again and choose Allow.'],
  provider_refused: [
    '{name} refused the request.',
    "Often this means that the callback URL or a scope isn't registered there. Compare them with the setup.",
  ],
  callback_malformed: ["The response from {name} couldn't be used.", AGAIN],
  issuer_wrong: ['The response came from a different issuer than expected.', 'Connect again, starting here.'],
  exchange_invalid_grant: ['{name} no longer accepted the authorization code.', AGAIN],
  exchange_invalid_client: ["{name} didn't accept the client ID and secret.", CHECK_CLIENT],
  exchange_refused: ["{name} didn't issue any tokens.", CHECK_CLIENT],
  exchange_rate_limited: ['{name} is limiting requests.', SOON],
  exchange_unavailable: ["{name} is having trouble or can't be reached.", SOON],
  exchange_unclear: ["{name} didn't send a readable response.", SOON],
  exchange_not_asked: [
    "Patchbay isn't allowed to send requests to this {name} address.",
    'Check the details entered for the connection.',
  ],
  issuer_away: ["The configuration of {name} couldn't be fetched from its issuer.", SOON],
  not_configured: ['The OAuth app for {name} was removed in the meantime.', 'Set it up again first.'],
  params_invalid: ["The details you entered don't work for {name}.", 'Connect again and correct them.'],
  state_invalid: ["You're no longer a member of this team.", 'Ask an admin to invite you again.'],
  attempt_not_yours: [
    'Someone else tried to finish this connection, so it was canceled.',
    'Connect again and finish it yourself.',
  ],
  interrupted: ['Something went wrong in Patchbay.', `${AGAIN} If it happens again, check the log.`],
};

const ROOM = 'integrations.';

/** Null for a code that isn't ours. */
export const wordsOf = (code: string, name: string): string | null => {
  const reason = code.startsWith(ROOM) ? code.slice(ROOM.length) : '';
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words ? words.join(' ').replace('{name}', name) : null;
};
