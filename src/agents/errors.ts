import { Refusal } from '../platform/index.ts';

export const restrictedTokenNeeded = () =>
  new Refusal(
    403,
    'mcp.restricted_token_needed',
    'Agents get only what they need: /mcp takes a restricted token, which is made with "can" or "allow", and no other one.',
  );

export const originRefused = () =>
  new Refusal(
    403,
    'mcp.origin_refused',
    'A page of another site sent this request. An agent sends no "Origin" header, or the one of this Patchbay.',
  );

export const oneMessageEach = () =>
  new Refusal(400, 'mcp.batch_refused', 'Send one JSON-RPC message with each request.');

export const noReport = () => new Refusal(404, 'reports.unknown', 'There is no report yet.');

export const queryInPath = () =>
  new Refusal(400, 'mcp.query_in_path', 'The path has a "?". Give what comes after it as `query`, field by field.');

/** A client that can't be used. `why` continues the sentence. */
export const clientRefused = (why: string) =>
  new Refusal(400, 'mcp.client_refused', `This client can't be used: ${why}.`);

const MOST_SHOWN = 200;

export const redirectRefused = (redirect: string, why: string) =>
  new Refusal(
    400,
    'mcp.redirect_refused',
    `This client can't be used, because people can't be sent back to ${JSON.stringify(redirect.slice(0, MOST_SHOWN))}: ${why}.`,
  );

export const authorizationRefused = (why: string) =>
  new Refusal(400, 'mcp.authorization_refused', `The agent asked for something that can't be given: ${why}.`);

export const AUTHORIZATION_GONE = 'mcp.authorization_gone';

export const authorizationGone = () =>
  new Refusal(
    410,
    AUTHORIZATION_GONE,
    'This request was already answered, has expired, or was begun in another browser. If you have just answered it, close this page. Otherwise, connect from the agent again.',
  );

export const personNeeded = () =>
  new Refusal(403, 'mcp.person_needed', 'Only a person who is signed in can let an agent in.');

export const consentChanged = () =>
  new Refusal(
    409,
    'mcp.consent_changed',
    'What the page showed has changed meanwhile: the agent’s name or address, or an account. Look at it again, then decide.',
  );

export const nothingChosen = () =>
  new Refusal(400, 'mcp.nothing_chosen', 'Choose at least one account or one thing that the agent may do.');
