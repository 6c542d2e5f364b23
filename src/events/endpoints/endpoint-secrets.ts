import type { Queries, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import { type Endpoint, type OldSecret, oldSecretsAt } from './endpoint.ts';

type Field = 'url' | 'secret';

export const endpointPlaceOf = (id: string, field: Field) => ({ record: id, field: `endpoint ${field}` });

const sealedIn = (column: string, field: Field): SealedColumn => ({
  table: 'event_endpoints',
  column,
  placedBy: ['id'],
  placesOf: (id = '') => [endpointPlaceOf(id, field)],
});

export const SEALED_ENDPOINTS: readonly SealedColumn[] = [
  sealedIn('url', 'url'),
  sealedIn('secret', 'secret'),
  sealedIn('old_secret', 'secret'),
  {
    ...sealedIn('older_secrets', 'secret'),
    listIn: (stored) => JSON.parse(stored).map(({ secret }: OldSecret) => secret),
  },
];

export const sealField = (
  vault: Vault,
  { id, teamId }: Pick<Endpoint, 'id' | 'teamId'>,
  field: Field,
  value: Secret,
): Promise<string> => vault.seal(teamId, endpointPlaceOf(id, field), value);

const openField = (
  vault: Vault,
  { id, teamId }: Pick<Endpoint, 'id' | 'teamId'>,
  field: Field,
  sealed: string,
  queries?: Queries,
): Promise<Secret> => vault.open(teamId, endpointPlaceOf(id, field), sealed, queries);

/** Opens an endpoint's URL. Within a transaction, pass the transaction as `queries`. */
export const openUrl = (
  vault: Vault,
  endpoint: Pick<Endpoint, 'id' | 'teamId' | 'url'>,
  queries?: Queries,
): Promise<Secret> => openField(vault, endpoint, 'url', endpoint.url, queries);

/** Opens the secrets that events are signed with now, newest first. */
export const openSecrets = async (vault: Vault, endpoint: Endpoint, now: number): Promise<Secret[]> => {
  const sealed = [endpoint.secret, ...oldSecretsAt(endpoint, now).map(({ secret }) => secret)];
  return Promise.all(sealed.map((one) => openField(vault, endpoint, 'secret', one)));
};

/** The URL as people see it: without its query, which may contain a token. */
export const shownUrlOf = (url: Secret): string => {
  const { origin, pathname, search } = new URL(url.reveal());
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
};
