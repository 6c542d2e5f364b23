import { Secret } from '../../platform/index.ts';
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

/** Null if it can't be posted to. The outbound guard checks on every request whether its host is public. */
export const parseSlackAddress = (text: string, { production }: { production: boolean }): URL | null => {
  const url = URL.parse(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !production);
  const isPlain = url?.username === '' && url.password === '' && url.hash === '' && !url.hostname.endsWith('.');
  // The path is what makes it a Slack webhook.
  return isAllowed && isPlain && url.pathname !== '/' ? url : null;
};
