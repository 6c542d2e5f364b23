/** The client of Patchbay. It needs only `fetch` and Web Crypto. */
export type { Approval } from './approvals.ts';
export type { EventChoice, LoggedEvent } from './events.ts';
export type { Operations } from './operations.ts';
export { Patchbay, type PatchbayOptions } from './patchbay.ts';
export { PatchbayError } from './patchbay-error.ts';
export type {
  Call,
  CallOptions,
  ConnectionChoice,
  CustomerTeam,
  Integration,
  ProxiedInit,
  RequestOptions,
  Team,
} from './team.ts';
export { type PatchbayEvent, verifyEvent } from './verify-event.ts';
