import type { MediaLookup, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';
import { basicAuth, requestMedia } from '../../provider-parts/request-media.ts';

/** URL of a recording. Some accounts have their recordings in a region: `aps1.media.plivo.com` (seen November 2026). */
const MEDIA =
  /^https:\/\/((?:[a-z0-9]{1,20}\.)?media\.plivo\.com)\/v1\/Account\/([A-Z0-9]{20})\/Recording\/[^/?#]+\.(mp3|wav)$/;
/** Hosts that media may redirect to. Older recordings are in a public store, and newer URLs may redirect there. */
const REDIRECT_HOSTS = ['.plivo.com', '.amazonaws.com'];

type Ask = (recording: RecordingLocator, accountId: string, authorization: string) => MediaLookup;

const withCredentials =
  (ask: Ask) =>
  (recording: RecordingLocator, { accountId, secrets: [secret] }: ProviderAccount): MediaLookup => {
    if (accountId === null) return { missing: 'the Auth ID of the account' };
    if (!secret) return { missing: 'the Auth Token of the account' };
    return ask(recording, accountId, basicAuth(`${accountId}:${secret.value}`));
  };

/**
 * Makes the request for a recording. From the payload's URL, it takes only region, owner, and format, and only if they
 * have the expected form.
 */
export const mediaOf = withCredentials(({ recordingId, mediaUrl }, accountId, authorization) => {
  const [, host = 'media.plivo.com', owner = accountId, format = 'mp3'] = MEDIA.exec(mediaUrl ?? '') ?? [];
  const path = `/v1/Account/${owner}/Recording/${encodeURIComponent(recordingId)}.${format}`;
  return requestMedia(host, path, { authorization, redirectHosts: REDIRECT_HOSTS });
});

export const removalOf = withCredentials(({ recordingId }, accountId, authorization) =>
  requestMedia('api.plivo.com', `/v1/Account/${accountId}/Recording/${encodeURIComponent(recordingId)}/`, {
    authorization,
  }),
);
