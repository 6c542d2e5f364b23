/** What happened, and what to do about it. `{name}` is the provider. */
type Words = { what: string; next: string };

const AGAIN = 'Try connecting again.';
const SOON = 'Try connecting again in a few minutes.';
const CHECK_CLIENT = "An admin can check the client ID and secret in the provider's setup.";

/** Every refusal that a connect may return with. */
const WORDS: Readonly<Record<string, Words>> = {
  access_denied: {
    what: 'The request was declined at {name}.',
    next: 'If that was a mistake, connect again and choose Allow.',
  },
  provider_refused: {
    what: '{name} refused the request.',
    next: "Often the callback URL or a scope isn't registered there. Compare them with the setup.",
  },
  callback_malformed: { what: "The response from {name} couldn't be used.", next: AGAIN },
  issuer_wrong: {
    what: 'The response came from a different issuer than expected.',
    next: 'Connect again, starting here.',
  },
  exchange_invalid_grant: { what: "{name} didn't accept its authorization code anymore.", next: AGAIN },
  exchange_invalid_client: { what: "{name} didn't accept the client ID and secret.", next: CHECK_CLIENT },
  exchange_refused: { what: "{name} didn't issue any tokens.", next: CHECK_CLIENT },
  exchange_rate_limited: { what: '{name} is limiting requests.', next: SOON },
  exchange_unavailable: { what: "{name} is having trouble or can't be reached.", next: SOON },
  exchange_unclear: { what: "{name} didn't send a readable response.", next: SOON },
  exchange_not_asked: {
    what: "Patchbay isn't allowed to send requests to this {name} address.",
    next: 'Check the details entered for the connection.',
  },
  issuer_away: { what: "The configuration of {name} couldn't be fetched from its issuer.", next: SOON },
  not_configured: {
    what: 'The OAuth app for {name} was removed in the meantime.',
    next: 'Set it up again first.',
  },
  params_invalid: { what: "The details you entered don't work for {name}.", next: 'Connect again and correct them.' },
  state_invalid: { what: "You're no longer a member of this team.", next: 'Ask an admin to invite you again.' },
  attempt_not_yours: {
    what: 'Someone else tried to finish this connection, so it was canceled.',
    next: 'Connect again and finish it yourself.',
  },
  interrupted: { what: 'Something went wrong in Patchbay.', next: `${AGAIN} If it happens again, check the log.` },
};

const ROOM = 'integrations.';

export const wordsOf = (code: string, name: string): Words | null => {
  const reason = code.startsWith(ROOM) ? code.slice(ROOM.length) : '';
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words ? { what: words.what.replace('{name}', name), next: words.next } : null;
};
