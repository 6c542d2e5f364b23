/** What happened, and what to do about it. `{name}` is the provider. */
type Words = { what: string; next: string };

const AGAIN = 'Connect it again.';
const SOON = 'Connect it again in a few minutes.';
const CHECK_CLIENT = 'An admin can check the client id and secret: see the set-up.';

/** Every refusal with which a connect may come back. */
const WORDS: Readonly<Record<string, Words>> = {
  access_denied: {
    what: 'The request was declined at {name}.',
    next: 'If that was not meant, connect it again and allow it there.',
  },
  provider_refused: {
    what: '{name} refused the request.',
    next: 'Often the callback address or a scope is not registered there: compare them with the set-up.',
  },
  callback_malformed: { what: 'The answer of {name} could not be used.', next: AGAIN },
  issuer_wrong: {
    what: 'The answer came from another issuer than the one that was asked.',
    next: 'Connect it again, beginning here.',
  },
  exchange_invalid_grant: { what: '{name} no longer took the code that it had given.', next: AGAIN },
  exchange_invalid_client: { what: '{name} does not know the client id, or not with this secret.', next: CHECK_CLIENT },
  exchange_refused: { what: '{name} gave no tokens.', next: CHECK_CLIENT },
  exchange_rate_limited: { what: '{name} asks for fewer requests.', next: SOON },
  exchange_unavailable: { what: '{name} has trouble, or cannot be reached.', next: SOON },
  exchange_unclear: { what: '{name} gave no answer that could be read.', next: SOON },
  exchange_not_asked: {
    what: 'The address of {name} is not one that may be asked.',
    next: 'Check what was filled in when it was connected.',
  },
  issuer_away: { what: 'The description of {name} cannot be fetched from its issuer.', next: SOON },
  not_configured: {
    what: 'The client of {name} was taken away in the meantime.',
    next: 'It must be set up again first.',
  },
  params_invalid: { what: 'What was filled in does not fit {name}.', next: 'Connect it again, and correct it.' },
  state_invalid: { what: 'You have left the team in the meantime.', next: 'Ask an admin to invite you again.' },
  attempt_not_yours: {
    what: 'Somebody else tried to finish it, so it was called off.',
    next: 'Connect it again, and finish it yourself.',
  },
  interrupted: { what: 'Something went wrong here.', next: `${AGAIN} If it happens again, the log says why.` },
};

const ROOM = 'integrations.';

export const wordsOf = (code: string, name: string): Words | null => {
  const reason = code.startsWith(ROOM) ? code.slice(ROOM.length) : '';
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words ? { what: words.what.replace('{name}', name), next: words.next } : null;
};
