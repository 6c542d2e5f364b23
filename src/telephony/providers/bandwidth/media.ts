import { FORM } from '../../contract/delivery.ts';
import type { MediaLookup, ProviderAccount, RecordingLocator, TranscriptLookup } from '../../contract/provider.ts';
import { basicAuth, requestMedia } from '../../provider-parts/request-media.ts';

/**
 * Host that issues bearer tokens. They replace the passwords of API users, which end on December 2, 2026 (docs:
 * "Credential Management"; seen November 2026).
 */
const TOKEN_HOST = 'api.bandwidth.com';
const RECORDING =
  /^https:\/\/voice\.bandwidth\.com\/api\/v2\/accounts\/([\w-]{1,64})\/calls\/([\w-]{1,128})\/recordings\/([\w-]{1,128})\/(?:media|transcription)$/;

/**
 * Makes the request for a recording, from account, call, and recording id. The call id is only in the payload's URL.
 * It's taken from there if the rest of that URL is as expected, and the URL is rebuilt.
 */
const requestFor =
  (part: '' | '/media' | '/transcription') =>
  ({ recordingId, mediaUrl }: RecordingLocator, { accountId, api }: ProviderAccount): MediaLookup => {
    if (accountId === null) return { missing: 'the account ID' };
    const { clientId, clientSecret } = api;
    if (!clientId || !clientSecret) return { missing: 'api.clientId and api.clientSecret' };
    const [, account, call, recording] = RECORDING.exec(mediaUrl ?? '') ?? [];
    if (account !== accountId || recording !== recordingId)
      return { missing: 'a recording URL that belongs to the account' };
    const path = `/api/v2/accounts/${accountId}/calls/${call}/recordings/${recordingId}${part}`;
    return {
      ...requestMedia('voice.bandwidth.com', path, {}),
      token: {
        url: `https://${TOKEN_HOST}/api/v1/oauth2/token`,
        headers: { authorization: basicAuth(`${clientId}:${clientSecret}`), 'content-type': FORM },
        body: 'grant_type=client_credentials',
        hosts: [TOKEN_HOST],
      },
    };
  };

export const mediaOf = requestFor('/media');

/**
 * Makes the request that deletes a recording, with its transcription and metadata. Bandwidth makes it unavailable
 * immediately, and erases it within two days.
 */
export const removalOf = requestFor('');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * How the text of a recording is fetched: the delivery only says where it is (docs: "Transcription Available", and the
 * type `RecordingTranscriptions` of the SDKs; seen November 2026). With several channels, there are several texts.
 */
export const transcripts: TranscriptLookup = {
  lookup: ({ recordingId, url }, account) => requestFor('/transcription')({ recordingId, mediaUrl: url }, account),
  read: (response) => {
    const told = isObject(response) ? response['transcripts'] : null;
    if (!Array.isArray(told)) return null;
    return told.flatMap((one) => (isObject(one) && typeof one['text'] === 'string' ? [one['text']] : [])).join('\n');
  },
};
