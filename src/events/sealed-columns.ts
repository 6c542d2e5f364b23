import type { SealedColumn } from '../vault/index.ts';
import { endpointPlaceOf, SEALED_ENDPOINTS } from './endpoints/endpoint-secrets.ts';
import { dataPlaceOf } from './log/record-events.ts';

export const SEALED_IN_EVENTS: readonly SealedColumn[] = [
  { table: 'events', column: 'data', placedBy: ['id'], placesOf: (id = '') => [dataPlaceOf(id)] },
  ...SEALED_ENDPOINTS,
  // A copy of what the alert is about, which opens in its original place.
  {
    table: 'event_alerts',
    column: 'text',
    placedBy: ['kind', 'subject', 'event_id'],
    placesOf: (kind, subject = '', eventId = '') => [
      kind === 'endpoint' ? endpointPlaceOf(subject, 'url') : dataPlaceOf(eventId),
    ],
  },
];
