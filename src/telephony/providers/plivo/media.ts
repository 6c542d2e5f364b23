import type { MediaAnswer, ProviderAccount, RecordingLocator } from '../../contract/provider.ts';

const MEDIA_HOST = 'media.plivo.com';
const API_HOST = 'api.plivo.com';
/** An account may have its recordings in a region: `aps1.media.plivo.com` (seen November 2026). */
const MEDIA =
  /^https:\/\/((?:[a-z0-9]{1,20}\.)?media\.plivo\.com)\/v1\/Account\/([A-Z0-9]{20})\/Recording\/[^/?#]+\.(mp3|wav)$/;
/** Older URLs are in a public store, which newer ones may redirect to. */
const REDIRECT_HOSTS = ['.plivo.com', '.amazonaws.com'];

const authorize = (user: string, { secrets }: ProviderAccount): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${secrets[0]?.value ?? ''}`).toString('base64')}`,
});

const whatIsMissing = ({ accountId, secrets }: ProviderAccount): { missing: string } | null => {
  if (accountId === null) return { missing: 'the Auth ID of the account' };
  return secrets.length === 0 ? { missing: 'the Auth Token of the account' } : null;
};

/** Takes only region, owner and format from the payload's URL, and only if they are in the expected format. */
export const mediaOf = ({ recordingId, mediaUrl }: RecordingLocator, account: ProviderAccount): MediaAnswer => {
  const missing = whatIsMissing(account);
  if (missing) return missing;
  const accountId = account.accountId ?? '';
  const [, host = MEDIA_HOST, owner = accountId, format = 'mp3'] = MEDIA.exec(mediaUrl ?? '') ?? [];
  return {
    url: `https://${host}/v1/Account/${owner}/Recording/${encodeURIComponent(recordingId)}.${format}`,
    headers: authorize(accountId, account),
    hosts: [host],
    redirectHosts: REDIRECT_HOSTS,
  };
};

export const removalOf = ({ recordingId }: RecordingLocator, account: ProviderAccount): MediaAnswer => {
  const missing = whatIsMissing(account);
  if (missing) return missing;
  const accountId = account.accountId ?? '';
  return {
    url: `https://${API_HOST}/v1/Account/${accountId}/Recording/${encodeURIComponent(recordingId)}/`,
    headers: authorize(accountId, account),
    hosts: [API_HOST],
    redirectHosts: [],
  };
};
