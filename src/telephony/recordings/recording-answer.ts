import { Type, toIsoOrNull } from '../../platform/index.ts';
import type { RecordingRow } from './recording-store.ts';

const InstantOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const WholeOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const Recording = Type.Object({
  id: Type.String(),
  call: Type.Union([Type.String(), Type.Null()], { description: 'null if its call is unknown' }),
  provider: Type.String(),
  externalId: Type.String(),
  state: Type.Enum(['announced', 'waiting', 'archived', 'absent', 'failed', 'removed']),
  problem: Type.Union([Type.String(), Type.Null()], { description: "Why it isn't archived, or not yet" }),
  startedAt: InstantOrNull,
  durationSeconds: Type.Union([Type.Number(), Type.Null()]),
  channels: WholeOrNull,
  contentType: TextOrNull,
  bytes: WholeOrNull,
  sha256: Type.Union([Type.String(), Type.Null()], { description: 'Of the audio as fetched, in hexadecimal' }),
  fetchedFrom: Type.Union([Type.String(), Type.Null()], { description: 'The host it was fetched from' }),
  archivedAt: InstantOrNull,
  removedAt: InstantOrNull,
  removedAtProviderAt: InstantOrNull,
  source: Type.Union([Type.String(), Type.Null()], { description: "The provider's own name for what made it" }),
});

export const toRecordingAnswer = (row: RecordingRow, callId: string | null) => ({
  id: row.id,
  call: callId,
  provider: row.provider,
  externalId: row.externalId,
  state: row.state,
  problem: row.problem,
  startedAt: toIsoOrNull(row.startedAt),
  durationSeconds: row.durationMs === null ? null : row.durationMs / 1_000,
  channels: row.channels,
  contentType: row.contentType,
  bytes: row.bytes,
  sha256: row.sha256,
  fetchedFrom: row.fetchedFrom,
  archivedAt: toIsoOrNull(row.archivedAt),
  removedAt: toIsoOrNull(row.removedAt),
  removedAtProviderAt: toIsoOrNull(row.removedAtProviderAt),
  source: row.source,
});
