import { isLoopbackHost, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';

const placeOf = (teamId: string) => ({ record: `report_slack_addresses/${teamId}`, field: 'address' });

export const SEALED_SLACK_ADDRESSES: SealedColumn = {
  table: 'report_slack_addresses',
  column: 'address',
  placedBy: ['team_id'],
  placesOf: (id = '') => [placeOf(id)],
};

export const sealSlackAddress = (vault: Vault, teamId: string, url: URL): Promise<string> =>
  vault.seal(teamId, placeOf(teamId), new Secret(url.href));

export const openSlackAddress = (vault: Vault, teamId: string, address: string): Promise<Secret> =>
  vault.open(teamId, placeOf(teamId), address);

/**
 * Hosts of Slack's incoming webhooks, including Slack for governments:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks (2026).
 */
const SLACK_HOSTS: readonly string[] = ['hooks.slack.com', 'hooks.slack-gov.com'];

/**
 * Returns null if the URL isn't a Slack webhook. Outside production, a URL on this machine is also allowed. The
 * outbound guard checks on every request whether the host is public.
 */
export const parseSlackAddress = (text: string, { production }: { production: boolean }): URL | null => {
  const url = URL.parse(text);
  const isSlacks = url?.protocol === 'https:' && SLACK_HOSTS.includes(url.host);
  const isLocal = !production && /^https?:$/.test(url?.protocol ?? '') && isLoopbackHost(url?.hostname ?? '');
  const isPlain = url?.username === '' && url.password === '' && url.hash === '' && !url.hostname.endsWith('.');
  // A Slack webhook URL always has a path.
  return (isSlacks || isLocal) && isPlain && url?.pathname !== '/' ? url : null;
};
