import type { EventType } from '../../events/index.ts';

/** Describes each event type, as a sentence without its period. */
export const EVENT_TYPE_WORDS: Readonly<Record<EventType, string>> = {
  'connection.connected': 'An account was connected',
  'connection.reconnected': 'A connection was reconnected',
  'connection.degraded': 'A connection has issues',
  'connection.recovered': 'A connection works again',
  'connection.needs_reconnect': 'A connection needs reconnecting',
  'connection.disconnected': 'A connection was disconnected',
  'call.started': 'A call started',
  'call.ended': 'A call ended',
  'call.missed': 'A call was missed',
  'call.voicemail': 'A caller left a voicemail',
  'call.returned': 'A call was marked as returned',
  'call.reopened': 'A call is no longer marked as returned',
  'recording.ready': 'A recording is ready',
  'recording.failed': 'A recording failed',
  'report.ready': 'A report is ready',
  'approval.requested': 'A restricted token asks for an approval',
  'approval.decided': 'An approval was decided',
  'containment.started': 'Access was stopped because something may have leaked',
  'containment.finished': 'What was stopped has been revoked',
  'containment.lifted': 'What was stopped works again',
  'provider.event': 'Something happened at a connected account',
  'provider.unmatched': 'A webhook fits no connection',
  test: 'A test was sent',
  'team.erased': 'A team was erased',
};
