import type { DoctorContext } from './doctor-checks.ts';
import { type Finding, ok, PATIENCE_MS, trouble } from './finding.ts';

const MOST_RESPONSE_BYTES = 100_000;
const REFUSED = [401, 403];
const ELSEWHERE = [404, 405];
const BOUNDARY = 'patchbay-doctor';

/** Asks for a transcript of nothing. A server that works says what is missing, and no audio leaves. */
export const checkTranscriber = async ({
  ownOutbound,
  transcriber,
}: Pick<DoctorContext, 'ownOutbound' | 'transcriber'>): Promise<Finding[]> => {
  if (!transcriber) return [];
  const { url, key, model } = transcriber;
  const { status } = await ownOutbound.request({
    url,
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...(key && { authorization: `Bearer ${key.reveal()}` }),
    },
    body: `--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n--${BOUNDARY}--\r\n`,
    trusted: true,
    timeoutMs: PATIENCE_MS,
    mostBytes: MOST_RESPONSE_BYTES,
  });
  const tell = (problem: string, advice: string): Finding[] => [
    trouble('transcripts', `The transcription server ${problem} (${status}). ${advice}`),
  ];
  if (REFUSED.includes(status)) return tell('refuses the key', 'Check TRANSCRIBE_KEY.');
  if (ELSEWHERE.includes(status) || (status >= 300 && status < 400))
    return tell('makes no transcripts at this address', 'Check TRANSCRIBE_URL.');
  if (status === 429) return [ok('transcripts', 'The transcription server responds, but is busy (429).')];
  if (status >= 500) return tell('has a problem', 'Check the server.');
  return [ok('transcripts', 'The transcription server responds.')];
};
