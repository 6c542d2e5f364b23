import type { Transaction } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { TranscriptFact } from '../contract/call-fact.ts';
import { lockUnerased } from '../recordings/recording-store.ts';
import { settleOf } from '../recordings/settle-transcript.ts';
import { sealTranscript } from '../transcripts/seal-transcript.ts';
import { queueTranscription } from '../transcripts/transcribe-recording.job.ts';
import { insertWaitingTranscript } from '../transcripts/transcript-store.ts';
import { type ExternalName, nameOf } from './external-row-store.ts';
import type { OpenedDelivery } from './prepare-calls.ts';
import { listRecordingIds } from './recording-batch-store.ts';

/** What a delivery says about the text of a recording, which `externalId` names. */
export type TranscriptUpdate = ExternalName & { fact: TranscriptFact };

const FAILED = "The telephony provider couldn't turn the recording into text.";

export const prepareTranscripts = (deliveries: readonly OpenedDelivery[]): TranscriptUpdate[] =>
  deliveries.flatMap(({ row: { teamId, accountId }, facts }) =>
    (facts.transcripts ?? []).map((fact) => ({ teamId, accountId, externalId: fact.recordingId, fact })),
  );

type PutContext = Pick<TelephonyContext, 'clock' | 'vault' | 'url' | 'record' | 'jobs'>;
type Owner = { teamId: string; recordingId: string; source: 'provider' };

/** Notes where the provider has a transcript, with a job that fetches it. Once per recording. */
const beginFetch = async (context: PutContext, tx: Transaction, owner: Owner, url: string): Promise<void> => {
  const { teamId, recordingId } = owner;
  if (!(await lockUnerased(tx, teamId, recordingId))) return;
  const content = await sealTranscript(context.vault, owner, { text: '', segments: [], url }, tx);
  const begun = await insertWaitingTranscript(tx, { ...owner, content, now: context.clock.now() });
  if (begun > 0) await queueTranscription(context, tx, { teamId, recordingId });
};

/**
 * Stores transcripts that providers send. Their recordings are there by now, because each of these deliveries announces
 * its recording, too. Those that another process inserted meanwhile are stored with them, in the next transaction.
 */
export const putTranscripts = async (
  context: PutContext,
  tx: Transaction,
  updates: readonly TranscriptUpdate[],
): Promise<void> => {
  if (updates.length === 0) return;
  const ids = new Map((await listRecordingIds(tx, updates)).map((row) => [nameOf(row), row.id]));
  for (const { fact, ...name } of updates) {
    const recordingId = ids.get(nameOf(name));
    if (recordingId === undefined) continue;
    const { teamId } = name;
    const owner = { teamId, recordingId, source: 'provider' as const };
    if (fact.status === 'ready' && fact.text !== null) {
      const content = await sealTranscript(context.vault, owner, { text: fact.text, segments: [] }, tx);
      await settleOf(context, tx, { ...owner, state: 'ready', content, language: fact.language, problem: null });
    }
    if (fact.status === 'available') await beginFetch(context, tx, owner, fact.url ?? '');
    if (fact.status === 'failed')
      await settleOf(context, tx, { ...owner, state: 'failed', content: null, language: null, problem: FAILED });
  }
};
