import { callerKeyOf, connectionTitle, type ListedProvider, type UsedCredential } from '../../integrations/index.ts';
import type { Html } from '../../platform/index.ts';
import { pill } from '../display/pill.ts';
import { describeActor, type People } from '../settings/audit/audit-words.ts';

type Caller = UsedCredential['by'];

/** Providers by ID. One that has left the catalog is missing. */
export type Providers = ReadonlyMap<string, ListedProvider>;

/** The caller as filters name it. */
export const callerOfRequest = ({ by: { id, via, userId } }: UsedCredential): string =>
  callerKeyOf({ tokenId: id, via, userId });

/** The person who called, or the operator and whom it acted for. */
export const personWords = ({ via, userId }: Caller, people: People): string =>
  describeActor({ actor: via === 'operator' || via === 'service' ? via : 'user', actorId: userId }, people);

/** The name of the access token. Null for another credential. */
export const tokenWords = ({ id, name }: Caller): string | null => (id === null ? null : (name ?? 'an access token'));

/** Names the caller of a filter: the token, or the person. */
export const callerWords = (by: Caller, people: People): string => {
  if (by.via === 'operator') return 'Operator';
  if (by.via === 'service') return 'Patchbay';
  return tokenWords(by) ?? personWords(by, people);
};

/** Names a connection. A request that was refused may have named none. */
export const connectionWords = (
  { provider, connection }: Pick<UsedCredential, 'provider' | 'connection'>,
  providers: Providers,
): string => {
  const name = providers.get(provider)?.name ?? provider;
  return connection === '' ? name : connectionTitle({ name, connection });
};

/** What was requested, on one line: "GET /user". A path is cut after `most` characters. */
export const requestWords = ({ method, path }: UsedCredential, most = Number.POSITIVE_INFINITY): string => {
  if (method === null || path === null) return 'Access token handed out';
  return `${method} ${path.length > most ? `${path.slice(0, most)}…` : path}`;
};

/** The status. What failed stands out, even if its status is none of an error. */
export const resultPill = ({ status, failed, by }: UsedCredential): Html => {
  if (by.kind === 'hand_out') return pill('none', 'Handed out');
  if (status === null) return pill(failed ? 'bad' : 'none', 'No response');
  return pill(failed ? 'bad' : 'none', failed && status < 400 ? `${status}, incomplete` : String(status));
};

/** How long it took: "85 ms", "1.2 s". */
export const tookWords = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
