import { getAccount } from '../accounts/account-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import type { TelephonyContext } from '../context.ts';
import type { MediaRequest } from '../contract/provider.ts';
import { aimMediaRequest, allowsHost } from '../recordings/aim-media-request.ts';
import { bringToken } from '../recordings/bring-token.ts';
import { fetchFailureOfError } from '../recordings/fetch-failure.ts';
import type { RecordingRow } from '../recordings/recording-store.ts';
import { openTranscript } from '../transcripts/seal-transcript.ts';
import { tidyText } from '../transcripts/transcript.ts';
import type { TranscriptRow } from '../transcripts/transcript-store.ts';
import { LIMITS } from './limits.ts';
import type { Transcription } from './read-transcription.ts';
import type { TranscriptionFailure } from './transcription-failure.ts';

const MOST_REDIRECTS = 5;

const final = (problem: string): TranscriptionFailure => ({ problem, outlook: 'final' });
const again = (problem: string): TranscriptionFailure => ({ problem, outlook: 'again' });

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

const failureOf = (status: number, host: string): TranscriptionFailure =>
  status === 410
    ? final(`${host} says the transcript is gone (410).`)
    : again(`${host} returned ${status} instead of the transcript.`);

const request = async (
  { outbound }: TelephonyContext,
  { url, headers, hosts, redirectHosts }: MediaRequest,
  signal: AbortSignal,
): Promise<Buffer | TranscriptionFailure> => {
  const host = new URL(url).hostname;
  try {
    const { status, body } = await outbound.request({
      ...{ url, headers, hosts: allowsHost(hosts), signal },
      redirects: { most: MOST_REDIRECTS, hosts: allowsHost(redirectHosts) },
      timeoutMs: LIMITS.fetchMs,
      mostBytes: LIMITS.responseBytes,
    });
    return status === 200 ? body : failureOf(status, host);
  } catch (error) {
    const failure = signal.aborted ? undefined : fetchFailureOfError(error, host);
    if (!failure) throw error;
    return { problem: failure.problem, outlook: failure.outlook === 'final' ? 'final' : 'again' };
  }
};

/** Fetches the text of a recording from the telephony provider, which has said where it is. */
export const fetchTranscript = async (
  context: TelephonyContext,
  recording: RecordingRow,
  row: TranscriptRow,
  signal: AbortSignal,
): Promise<Transcription | TranscriptionFailure> => {
  const { database, vault, providers } = context;
  const stored = await getAccount(database, recording.teamId, recording.accountId);
  const provider = providers.find(({ id }) => id === recording.provider);
  if (!stored || !provider?.transcripts) return final('The telephony account was removed before the transcript came.');
  const account = await openAccount(vault, stored);
  const url = (await openTranscript(vault, row))?.url ?? null;
  const lookup = await provider.transcripts.lookup({ recordingId: recording.externalId, url }, account);
  if ('missing' in lookup) return again(`To fetch the transcript, the telephony account needs ${lookup.missing}.`);
  const media = await bringToken(context, aimMediaRequest(context, lookup, account), signal);
  if ('problem' in media) return again(media.problem);
  const body = await request(context, media, signal);
  if ('problem' in body) return body;
  const text = provider.transcripts.read(parse(body));
  if (text === null) return again('The telephony provider sent something other than a transcript.');
  const tidied = tidyText(text);
  return tidied === ''
    ? final('The telephony provider recognized no words.')
    : { content: { text: tidied, segments: [] }, language: null };
};
