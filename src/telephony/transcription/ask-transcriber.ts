import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseRetryAfter } from '../../events/index.ts';
import { extensionOf } from '../audio/audio-type.ts';
import { isStorageAway } from '../audio/recording-bucket.ts';
import type { TelephonyContext } from '../context.ts';
import { RecordingLost } from '../contract/recording-storage.ts';
import { type ArchivedRecording, openAudio } from '../recordings/open-audio.ts';
import type { Transcriber } from '../transcripts/transcriber.ts';
import { LIMITS } from './limits.ts';
import { readTranscription, type Transcription } from './read-transcription.ts';
import {
  AUDIO_AWAY,
  AUDIO_TOO_LARGE,
  failureOfTranscriberError,
  failureOfTranscriberStatus,
  NO_AUDIO,
  type TranscriptionFailure,
} from './transcription-failure.ts';

const FIELDS = { response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' } as const;

/** Makes the form around the audio. The audio itself is streamed, so it's never in memory as a whole. */
const makeForm = ({ model }: Pick<Transcriber, 'model'>, { contentType }: Pick<ArchivedRecording, 'contentType'>) => {
  const boundary = `patchbay-${randomUUID()}`;
  const partOf = (name: string, more = ''): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n`;
  const fields = Object.entries({ model, ...FIELDS }).map(([name, value]) => `${partOf(name)}\r\n${value}\r\n`);
  // The type was checked when the audio was stored (`audioTypeOf`), so nothing in it can end the header.
  const file = `${partOf('file', `; filename="recording.${extensionOf(contentType)}"`)}content-type: ${contentType ?? 'application/octet-stream'}\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(`${fields.join('')}${file}`),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
};

async function* concatenate(head: Buffer, audio: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* audio;
  yield tail;
}

const open = async (
  context: TelephonyContext,
  recording: ArchivedRecording,
): Promise<Readable | TranscriptionFailure> => {
  try {
    return await openAudio(context, recording, { start: 0, length: recording.bytes });
  } catch (error) {
    if (error instanceof RecordingLost) return NO_AUDIO;
    if (isStorageAway(error)) return AUDIO_AWAY;
    throw error;
  }
};

/** Sends a recording to the operator's transcription server, and reads what it heard. */
export const askTranscriber = async (
  context: TelephonyContext,
  transcriber: Transcriber,
  recording: ArchivedRecording,
  signal: AbortSignal,
): Promise<Transcription | TranscriptionFailure> => {
  if (recording.bytes > LIMITS.audioBytes) return AUDIO_TOO_LARGE;
  const { url, key } = transcriber;
  const { type, head, tail } = makeForm(transcriber, recording);
  const audio = await open(context, recording);
  if ('problem' in audio) return audio;
  try {
    // A reader still gets an error of the audio. Until there is a reader, an error would end the process.
    audio.on('error', () => undefined);
    const stream = Readable.from(concatenate(head, audio, tail), { objectMode: false });
    // If the request fails before anything is read, nothing else would close the audio.
    stream.once('close', () => audio.destroy());
    const response = await context.outbound.request({
      url,
      method: 'POST',
      headers: { 'content-type': type, ...(key && { authorization: `Bearer ${key.reveal()}` }) },
      body: { stream, bytes: head.length + recording.bytes + tail.length },
      timeoutMs: LIMITS.requestMs,
      mostBytes: LIMITS.responseBytes,
      trusted: true,
      signal,
    });
    const { status, headers, body } = response;
    if (status === 200) return readTranscription(body);
    return failureOfTranscriberStatus(status, parseRetryAfter(headers['retry-after'], context.clock.now()));
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = failureOfTranscriberError(error);
    if (!failure) throw error;
    return failure;
  }
};
