import { createPrivateKey, randomUUID } from 'node:crypto';
import type { MediaAnswer, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';

/** By region the host is another one: api.nexmo.com, api-us-3.vonage.com (seen November 2026). */
const FILE = /^https:\/\/(api(?:-[a-z0-9]{1,4}){0,2}\.(?:nexmo|vonage)\.com)\/v1\/files\/([0-9a-f-]{36})$/;
const REDIRECT_HOSTS = ['.nexmo.com', '.vonage.com'];
const TOKEN_LIFE = '5 minutes';

/** The token of the application that has made the recording; null: the key cannot be used. */
const signApplicationToken = async (applicationId: string, privateKey: string): Promise<string | null> => {
  const { SignJWT } = await import('jose');
  try {
    // An environment variable often has the line ends written out.
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
 * The file has an id of its own that only the payload's address tells, so that address is taken apart and made anew: a
 * host and a path of the vendor's, or nothing is sent anywhere.
 */
export const mediaOf = async (
  { mediaUrl }: RecordingLocator,
  { api }: Pick<ProviderAccount, 'api'>,
): Promise<MediaAnswer> => {
  const [, host, file] = FILE.exec(mediaUrl ?? '') ?? [];
  if (!host || !file) return { missing: 'a valid recording URL from Vonage' };
  const { applicationId, privateKey } = api;
  if (!applicationId || !privateKey) return { missing: 'the application ID and its private key' };
  const token = await signApplicationToken(applicationId, privateKey);
  if (token === null) return { missing: 'a readable private key for the application' };
  return {
    url: `https://${host}/v1/files/${file}`,
    headers: { authorization: `Bearer ${token}` },
    hosts: [host],
    redirectHosts: REDIRECT_HOSTS,
  };
};
