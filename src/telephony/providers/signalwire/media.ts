import type { MediaLookup, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';
import { basicAuth, requestMedia } from '../../provider-parts/request-media.ts';
import { UUID } from '../../provider-parts/values.ts';

/**
 * Hosts that media may redirect to. Files are stored in a bucket (seen November 2026; it isn't certain that there is a
 * redirect).
 */
const REDIRECT_HOSTS = ['.signalwire.com', 's3.us-east-2.amazonaws.com'];

/** Makes a URL of ids on the space's own host. The URL in the payload is never used. */
export const resourceOf =
  (extension: string) =>
  ({ recordingId }: RecordingLocator, { accountId, api }: ProviderAccount): MediaLookup => {
    const { space, token } = api;
    if (accountId === null) return { missing: 'the Project ID' };
    if (!space) return { missing: 'the name of the space (api.space)' };
    if (!token) return { missing: 'an API token (api.token)' };
    if (!UUID.test(recordingId)) return { missing: 'a valid recording ID' };
    return requestMedia(
      `${space.toLowerCase()}.signalwire.com`,
      `/api/laml/2010-04-01/Accounts/${accountId}/Recordings/${recordingId}${extension}`,
      { authorization: basicAuth(`${accountId}:${token}`), redirectHosts: REDIRECT_HOSTS },
    );
  };
