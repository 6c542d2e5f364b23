/** What happened, recorded in the transaction of its cause, for everyone who needs to know. */
export { ALERT_KINDS, type AlertKind, type AlertSettings, CHANNELS, type Channel } from './alerts/alert.ts';
export { alertRoutes } from './alerts/alert-routes.ts';
export type { FindReturned, SlackChannel } from './alerts/context.ts';
export type { DescribedAlert } from './alerts/describe-alert.ts';
export { eventCommands } from './event-commands.ts';
export { eventRoutes } from './event-routes.ts';
export { createEvents, type Events } from './events.ts';
export type { EventType, NewEvent } from './log/event.ts';
export { eraseEventsAbout } from './log/event-store.ts';
export { logRoutes } from './log/log-routes.ts';
export { createRecorder, type Recorder } from './log/record-events.ts';
