import type { SealedColumn } from '../vault/index.ts';
import { endpointPlaceOf, SEALED_ENDPOINTS } from './endpoints/endpoint-secrets.ts';
import { dataPlaceOf } from './log/record-events.ts';

export const SEALED_IN_EVENTS: readonly SealedColumn[] = [
  { table: 'events', column: 'data', placedBy: ['id'], placesOf: (id = '') => [dataPlaceOf(id)] },
  ...SEALED_ENDPOINTS,
  // The text of an alert is a copy of an event's data or an endpoint's URL, which opens in the place of the original.
  {
    table: 'event_alerts',
    column: 'text',
    placedBy: ['kind', 'subject', 'event_id'],
    placesOf: (kind, subject = '', eventId = '') => [
      kind === 'endpoint' ? endpointPlaceOf(subject, 'url') : dataPlaceOf(eventId),
    ],
  },
];
