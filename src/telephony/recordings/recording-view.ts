import { type Queries, Type, toIsoOrNull } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { listSimulatedAmong } from '../accounts/simulated-account-store.ts';
import { InstantOrNull, NumberOrNull, TextOrNull, WholeOrNull } from '../contract/schemas.ts';
import { getTranscript } from '../transcripts/transcript-store.ts';
import { TranscriptView, viewTranscript } from '../transcripts/transcript-view.ts';
import { findCallOfRecording, type RecordingRow } from './recording-store.ts';

const described = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A recording as the API returns it. */
export const RecordingView = Type.Object(
  {
    id: Type.String(),
    call: described('null if its call is unknown'),
    provider: Type.String(),
    externalId: Type.String(),
    state: Type.Enum(['announced', 'waiting', 'archived', 'absent', 'failed', 'removed']),
    problem: described("Why it isn't archived, or not yet"),
    startedAt: InstantOrNull,
    durationSeconds: NumberOrNull,
    channels: WholeOrNull,
    contentType: TextOrNull,
    bytes: WholeOrNull,
    sha256: described('Of the audio as fetched, in hexadecimal'),
    fetchedFrom: described('The host it was fetched from'),
    archivedAt: InstantOrNull,
    removedAt: InstantOrNull,
    removedAtProviderAt: InstantOrNull,
    source: described("The provider's own name for what made it"),
    demo: Type.Boolean({ description: "Made by a simulation: it isn't of a real call" }),
    transcript: TranscriptView,
  },
  { title: 'Recording' },
);

type Around = { call: string | null; isDemo: boolean; transcript: TranscriptView };

const toRecordingView = (row: RecordingRow, { call, isDemo, transcript }: Around) => {
  const { id, provider, externalId, state, problem, channels, contentType, bytes, sha256, fetchedFrom, source } = row;
  return {
    ...{ id, call, provider, externalId, state, problem, channels, contentType, bytes, sha256, fetchedFrom, source },
    startedAt: toIsoOrNull(row.startedAt),
    durationSeconds: row.durationMs === null ? null : row.durationMs / 1_000,
    archivedAt: toIsoOrNull(row.archivedAt),
    removedAt: toIsoOrNull(row.removedAt),
    removedAtProviderAt: toIsoOrNull(row.removedAtProviderAt),
    demo: isDemo,
    transcript,
  };
};

/** Makes the view of a recording, with its call, whether it's a demo, and its transcript, cut if it's for an event. */
export const viewRecording = async (vault: Vault, queries: Queries, recording: RecordingRow, mostText?: number) => {
  const call = await findCallOfRecording(queries, recording);
  const simulated = await listSimulatedAmong(queries, [recording]);
  const { teamId, id: recordingId } = recording;
  const stored = await getTranscript(queries, { teamId, recordingId });
  const transcript = await viewTranscript(vault, stored, {
    queries,
    ...(mostText !== undefined && { most: mostText }),
  });
  return toRecordingView(recording, { call, isDemo: simulated.length > 0, transcript });
};
