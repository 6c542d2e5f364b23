import type { SealedColumn } from '../vault/index.ts';
import { endpointPlaceOf, SEALED_ENDPOINTS } from './endpoints/endpoint-secrets.ts';
import { SEALED_PAYLOADS } from './log/payloads/payload.ts';
import { dataPlaceOf } from './log/record-events.ts';

export const SEALED_IN_EVENTS: readonly SealedColumn[] = [
  { table: 'events', column: 'data', placedBy: ['id'], placesOf: (id = '') => [dataPlaceOf(id)] },
  SEALED_PAYLOADS,
  ...SEALED_ENDPOINTS,
  // The text of an alert is copied from an event or an endpoint without resealing. So it opens only with the original's
  // `record` and `field`.
  {
    table: 'event_alerts',
    column: 'text',
    placedBy: ['kind', 'subject', 'event_id'],
    placesOf: (kind, subject = '', eventId = '') => [
      kind === 'endpoint' ? endpointPlaceOf(subject, 'url') : dataPlaceOf(eventId),
    ],
  },
];
