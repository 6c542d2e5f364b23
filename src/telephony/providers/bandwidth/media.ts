import type { MediaAnswer, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';
import { encodeBasic } from './verify.ts';

const HOST = 'voice.bandwidth.com';
/** Passwords of API users end on December 2, 2026 (docs: "Credential Management"; seen November 2026). */
const TOKEN_HOST = 'api.bandwidth.com';
const RECORDING =
  /^https:\/\/voice\.bandwidth\.com\/api\/v2\/accounts\/([\w-]{1,64})\/calls\/([\w-]{1,128})\/recordings\/([\w-]{1,128})\/media$/;

/**
 * A recording is found by account, call and its own id. The call id is only in the payload's URL. It's taken from there
 * if the rest of that URL is as expected, and the URL is rebuilt.
 */
const addressOf = ({ recordingId, mediaUrl }: RecordingLocator, accountId: string): string | null => {
  const [, account, call, recording] = RECORDING.exec(mediaUrl ?? '') ?? [];
  return account === accountId && recording === recordingId
    ? `https://${HOST}/api/v2/accounts/${accountId}/calls/${call}/recordings/${recordingId}`
    : null;
};

const requestFor =
  (part: '' | '/media') =>
  (recording: RecordingLocator, { accountId, api }: ProviderAccount): MediaAnswer => {
    if (accountId === null) return { missing: 'the account ID' };
    const { clientId, clientSecret } = api;
    if (!clientId || !clientSecret) return { missing: 'api.clientId and api.clientSecret' };
    const address = addressOf(recording, accountId);
    if (address === null) return { missing: 'a recording URL that belongs to the account' };
    return {
      url: `${address}${part}`,
      headers: {},
      hosts: [HOST],
      redirectHosts: [],
      token: {
        url: `https://${TOKEN_HOST}/api/v1/oauth2/token`,
        headers: {
          authorization: `Basic ${encodeBasic(`${clientId}:${clientSecret}`)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
        hosts: [TOKEN_HOST],
      },
    };
  };

export const mediaOf = requestFor('/media');

/** Also deletes the transcription and metadata. Unavailable immediately, erased within two days. */
export const removalOf = requestFor('');
