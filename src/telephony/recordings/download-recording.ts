import { type SavedAudio, saveAudio } from '../audio/save-audio.ts';
import type { TelephonyContext } from '../context.ts';
import type { MediaRequest } from '../contract/provider.ts';
import { audioPlace } from '../contract/recording-storage.ts';
import { allowsHost } from './aim-media-request.ts';
import { bringToken } from './bring-token.ts';
import { emptyFailure, type FetchFailure, fetchFailureOfError, fetchFailureOfResponse } from './fetch-failure.ts';
import type { RecordingRow } from './recording-store.ts';

const MOST_BYTES = 200 * 1024 * 1024;
const DOWNLOAD_MS = 10 * 60_000;
/**
 * Slowest download that is allowed, so that a provider that hangs doesn't occupy a worker for long. A large file may
 * take longer, if it keeps this pace.
 */
const PACE = { graceMs: 30_000, bytesPerSecond: 16 * 1024 };
const MOST_REDIRECTS = 5;

export type Downloaded = SavedAudio & { fetchedFrom: string };

/** Downloads the audio to a local file, only from the hosts that the provider names. */
export const downloadRecording = async (
  { outbound, vault, sealed }: TelephonyContext,
  { teamId, id }: Pick<RecordingRow, 'teamId' | 'id'>,
  asked: MediaRequest,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<Downloaded | FetchFailure> => {
  const media = await bringToken({ outbound }, asked, signal);
  if ('problem' in media) return media;
  let from = new URL(media.url).hostname;
  const mayRedirect = allowsHost(media.redirectHosts);
  const follow = (host: string): boolean => {
    if (mayRedirect(host)) from = host;
    return mayRedirect(host);
  };
  try {
    // Creates the seal before the request, because the body of the response has to be read right away: until something
    // reads the body, its errors go unnoticed.
    const seal = sealed ? await vault.sealStream(teamId, audioPlace(id)) : null;
    const response = await outbound.open({
      url: media.url,
      headers: media.headers,
      hosts: allowsHost(media.hosts),
      redirects: { most: MOST_REDIRECTS, hosts: follow },
      timeoutMs: DOWNLOAD_MS,
      pace: PACE,
      mostBytes: MOST_BYTES,
      signal,
    });
    const { headers, body } = response;
    const failure = fetchFailureOfResponse(response, from);
    if (failure) {
      body.on('error', () => undefined).destroy();
      return failure;
    }
    const saved = await saveAudio(body, headers['content-type'], { path, seal, signal });
    return saved.bytes === 0 ? emptyFailure(from) : { ...saved, fetchedFrom: from };
  } catch (error) {
    const failure = signal.aborted ? undefined : fetchFailureOfError(error, from);
    if (!failure) throw error;
    return failure;
  }
};
