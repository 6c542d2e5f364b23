/** What happened, recorded in the transaction of its cause, for everyone who needs to know. */
export { ALERT_KINDS, type AlertKind, type AlertSettings, CHANNELS, type Channel } from './alerts/alert.ts';
export { alertRoutes } from './alerts/alert-routes.ts';
export type { FindReturned, SlackChannel } from './alerts/context.ts';
export type { DescribedAlert } from './alerts/describe-alert.ts';
export { choicesOf, missedSince } from './endpoints/endpoint.ts';
export { shownUrlOf } from './endpoints/endpoint-secrets.ts';
export { endpointFields } from './endpoints/endpoint-view.ts';
export type { EndpointInput, OpenEndpoint } from './endpoints/endpoints.ts';
export { eventCommands } from './event-commands.ts';
export { eventRoutes } from './event-routes.ts';
export { createEvents, type Events } from './events.ts';
export { type EventType, type NewEvent, toEventId } from './log/event.ts';
export { eraseEventsAbout } from './log/event-store.ts';
export type { EventView } from './log/event-view.ts';
export type { EventLine } from './log/list-about.ts';
export { logRoutes } from './log/log-routes.ts';
export { createRecorder, type Recorder } from './log/record-events.ts';
export type { AttemptRow, AttemptTo } from './sending/attempt-store.ts';
