import type { Outbound } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { audioPlace } from '../audio/recording-storage.ts';
import { type SavedAudio, saveAudio } from '../audio/save-audio.ts';
import type { MediaRequest } from '../contract/provider.ts';
import { emptyFailure, type FetchFailure, failureOfAnswer, failureOfError } from './fetch-failure.ts';
import { allowsHost } from './media-request.ts';
import { bringToken } from './media-token.ts';
import type { RecordingRow } from './recording-store.ts';

const MOST_BYTES = 200 * 1024 * 1024;
const DOWNLOAD_MS = 10 * 60_000;
const MOST_REDIRECTS = 5;

export type Downloaded = SavedAudio & { fetchedFrom: string };

/** Downloads the audio to a file of ours, only from the hosts that the provider names. */
export const downloadRecording = async (
  { outbound, vault, sealed }: { outbound: Outbound; vault: Vault; sealed: boolean },
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
    // Before the response arrives: its body is read right away, and an error meanwhile would go unnoticed.
    const seal = sealed ? await vault.sealStream(teamId, audioPlace(id)) : null;
    const answer = await outbound.open({
      url: media.url,
      headers: media.headers,
      hosts: allowsHost(media.hosts),
      redirects: { most: MOST_REDIRECTS, hosts: follow },
      timeoutMs: DOWNLOAD_MS,
      mostBytes: MOST_BYTES,
      signal,
    });
    const { headers, body } = answer;
    const failure = failureOfAnswer(answer, from);
    if (failure) {
      body.on('error', () => undefined).destroy();
      return failure;
    }
    const saved = await saveAudio(body, headers['content-type'], { path, seal, signal });
    return saved.bytes === 0 ? emptyFailure(from) : { ...saved, fetchedFrom: from };
  } catch (error) {
    const failure = signal.aborted ? undefined : failureOfError(error, from);
    if (!failure) throw error;
    return failure;
  }
};
