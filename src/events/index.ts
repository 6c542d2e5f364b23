/** Events: each records a change, in the transaction of that change, for endpoints, alerts, and readers of the log. */
export {
  ALERT_KINDS,
  type Alert,
  type AlertPlace,
  type AlertSettings,
  type AlertWish,
  CHANNELS,
  CHOSEN_KINDS,
  type Channel,
  type ChosenKind,
  PLACES,
  type Resolution as AlertResolution,
} from './alerts/alert.ts';
export { closeCallAlerts, closeSomeCallAlerts } from './alerts/alerts.ts';
export type { AlertData } from './alerts/open-alert-data.ts';
export type { AttemptRow, AttemptTo } from './attempts/attempt-store.ts';
export { parseRetryAfter } from './attempts/retry.ts';
export { missedSince, versionOfSecret } from './endpoints/endpoint.ts';
export { shownUrlOf } from './endpoints/endpoint-secrets.ts';
export { endpointFields } from './endpoints/endpoint-view.ts';
export type { EndpointInput, OpenEndpoint } from './endpoints/endpoints.ts';
export { eraseAbout } from './erase-about.ts';
export { eventCommands } from './event-commands.ts';
export { eventRoutes } from './event-routes.ts';
export { createEvents, type Events } from './events.ts';
export { describeRequests } from './log/describe-requests.ts';
export { type EventType, type NewEvent, toEventId } from './log/event.ts';
export { choicesOf } from './log/event-filter.ts';
export type { EventView } from './log/event-view.ts';
export { KEPT_MS as EVENTS_KEPT_MS } from './log/follow-log.ts';
export type { LogStretch } from './log/follow-news.ts';
export type { EventLine } from './log/list-about.ts';
export { logRoutes } from './log/log-routes.ts';
export { getLogEnds, leaveGap } from './log/log-store.ts';
export { payloadRoutes } from './log/payloads/payload-routes.ts';
export { createRecorder, type Recorder } from './log/record-events.ts';
export { SEALED_IN_EVENTS } from './sealed-columns.ts';
