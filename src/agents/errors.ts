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
