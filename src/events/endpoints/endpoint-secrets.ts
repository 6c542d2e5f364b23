import type { Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Endpoint } from './endpoint.ts';

type Field = 'url' | 'secret';

export const sealField = (
  vault: Vault,
  { id, teamId }: Pick<Endpoint, 'id' | 'teamId'>,
  field: Field,
  value: Secret,
): Promise<string> => vault.seal(teamId, { record: id, field: `endpoint ${field}` }, value);

const openField = (
  vault: Vault,
  { id, teamId }: Pick<Endpoint, 'id' | 'teamId'>,
  field: Field,
  sealed: string,
): Promise<Secret> => vault.open(teamId, { record: id, field: `endpoint ${field}` }, sealed);

export const openUrl = (vault: Vault, endpoint: Pick<Endpoint, 'id' | 'teamId' | 'url'>): Promise<Secret> =>
  openField(vault, endpoint, 'url', endpoint.url);

/** What to sign with now, the newest first. */
export const openSecrets = async (vault: Vault, endpoint: Endpoint, now: number): Promise<Secret[]> => {
  const { secret, oldSecret, oldSecretUntil } = endpoint;
  const isOldValid = oldSecret !== null && (oldSecretUntil ?? 0) > now;
  const sealed = isOldValid ? [secret, oldSecret] : [secret];
  return Promise.all(sealed.map((one) => openField(vault, endpoint, 'secret', one)));
};

/** As people see it: without its query, which may contain a token. */
export const shownUrlOf = (url: Secret): string => {
  const { origin, pathname, search } = new URL(url.reveal());
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
};
