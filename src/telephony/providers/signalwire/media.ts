import type { MediaAnswer, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';
import { DIALECT } from './verify.ts';

/** Files are kept apart, and that place keeps them in a bucket (seen November 2026; that it redirects is not certain). */
const REDIRECT_HOSTS = ['.signalwire.com', 's3.us-east-2.amazonaws.com'];

/** An address made of ids on the space's own host: the one in the payload is never asked. */
export const resourceOf =
  (extension: string) =>
  ({ recordingId }: RecordingLocator, { accountId, api }: ProviderAccount): MediaAnswer => {
    const { space, token } = api;
    if (accountId === null) return { missing: 'the Project ID' };
    if (!space) return { missing: 'the name of the space (api.space)' };
    if (!token) return { missing: 'an API token (api.token)' };
    if (!DIALECT.ids.RecordingSid.test(recordingId)) return { missing: 'a valid recording id' };
    const host = `${space.toLowerCase()}.signalwire.com`;
    return {
      url: `https://${host}/api/laml/2010-04-01/Accounts/${accountId}/Recordings/${recordingId}${extension}`,
      headers: { authorization: `Basic ${Buffer.from(`${accountId}:${token}`).toString('base64')}` },
      hosts: [host],
      redirectHosts: REDIRECT_HOSTS,
    };
  };
