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

/** Where Slack takes messages: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks (2026), and its service for governments. */
const SLACK_HOSTS: readonly string[] = ['hooks.slack.com', 'hooks.slack-gov.com'];

/** Null if it isn't Slack's. Outside production, something on this machine can take its place.
 * The outbound guard checks on every request whether its host is public. */
export const parseSlackAddress = (text: string, { production }: { production: boolean }): URL | null => {
  const url = URL.parse(text);
  const isSlacks = url?.protocol === 'https:' && SLACK_HOSTS.includes(url.host);
  const isLocal = !production && /^https?:$/.test(url?.protocol ?? '') && isLoopbackHost(url?.hostname ?? '');
  const isPlain = url?.username === '' && url.password === '' && url.hash === '' && !url.hostname.endsWith('.');
  // The path is what makes it a Slack webhook.
  return (isSlacks || isLocal) && isPlain && url?.pathname !== '/' ? url : null;
};
