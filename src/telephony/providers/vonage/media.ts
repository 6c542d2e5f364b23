import { createPrivateKey, randomUUID } from 'node:crypto';
import type { MediaLookup, ProviderAccount, RecordingLocator, TranscriptLookup } from '../../contract/provider.ts';
import { requestMedia } from '../../provider-parts/request-media.ts';

/** URL of a recording. The host depends on the region: api.nexmo.com, api-us-3.vonage.com (seen November 2026). */
const FILE = /^https:\/\/(api(?:-[a-z0-9]{1,4}){0,2}\.(?:nexmo|vonage)\.com)\/v1\/files\/([0-9a-f-]{36})$/;
const REDIRECT_HOSTS = ['.nexmo.com', '.vonage.com'];
const TOKEN_LIFE = '5 minutes';

/** Signs a token for the application that made the recording. Returns null if the key can't be used. */
const signApplicationToken = async (applicationId: string, privateKey: string): Promise<string | null> => {
  const { SignJWT } = await import('jose');
  try {
    // A key from an environment variable often has escaped line breaks.
    const key = createPrivateKey(privateKey.replaceAll('\\n', '\n'));
    return await new SignJWT({ application_id: applicationId })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime(TOKEN_LIFE)
      .setJti(randomUUID())
      .sign(key);
  } catch {
    return null;
  }
};

/**
 * Makes the request for a recording. The file's id is only in the payload's URL, so that URL is parsed and rebuilt. If
 * its host and path aren't Vonage's, nothing is sent.
 */
export const mediaOf = async (
  { mediaUrl }: RecordingLocator,
  { api }: Pick<ProviderAccount, 'api'>,
): Promise<MediaLookup> => {
  const [, host, file] = FILE.exec(mediaUrl ?? '') ?? [];
  if (!host || !file) return { missing: 'a valid recording URL from Vonage' };
  const { applicationId, privateKey } = api;
  if (!applicationId || !privateKey) return { missing: 'the application ID and its private key' };
  const token = await signApplicationToken(applicationId, privateKey);
  if (token === null) return { missing: 'a readable private key for the application' };
  return requestMedia(host, `/v1/files/${file}`, { authorization: `Bearer ${token}`, redirectHosts: REDIRECT_HOSTS });
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const listOf = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : null;
  return Array.isArray(list) ? list : [];
};

/** How the text of a recording is fetched: as a file like the audio, with the sentences of each channel. */
export const transcripts: TranscriptLookup = {
  lookup: ({ recordingId, url }, account) => mediaOf({ recordingId, mediaUrl: url }, account),
  read: (response) => {
    if (!isObject(response) || !Array.isArray(response['channels'])) return null;
    const sentences = listOf(response, 'channels').flatMap((channel) => listOf(channel, 'transcript'));
    return sentences
      .flatMap((one) => (isObject(one) && typeof one['sentence'] === 'string' ? [one['sentence']] : []))
      .join(' ');
  },
};
