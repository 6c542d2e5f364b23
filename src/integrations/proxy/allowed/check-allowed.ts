import type { Allowed, Restriction } from '../../../http/index.ts';
import type { ProviderApi } from '../../catalogue/provider-api.ts';
import type { Connection } from '../../connections/connection.ts';
import { accountNotAllowed, pathUnclear, requestNotAllowed } from '../errors.ts';
import { isBoundTo } from './bind-allowed.ts';
import { isUnambiguous, matchesPattern, type PathPattern, parsePattern } from './path-pattern.ts';
import { type ApiRequest, onlyReads } from './reads.ts';

type Wanted = ApiRequest & {
  provider: string;
  /** Null if the request names no connection. */
  connection: string | null;
  /** The entry's API. Null if the entry has none. */
  api: Pick<ProviderApi, 'reads'> | null;
};

const parsed = new WeakMap<readonly string[], PathPattern[]>();

const patternsOf = (paths: readonly string[]): PathPattern[] => {
  const known = parsed.get(paths) ?? paths.map(parsePattern).filter((pattern) => pattern !== null);
  parsed.set(paths, known);
  return known;
};

const concerns = (allowed: Allowed, { provider, host, connection }: Wanted): boolean =>
  allowed.provider === provider &&
  allowed.host === host &&
  (connection === null || allowed.connection === null || allowed.connection === connection);

/** A path that a provider may read in two ways matches no pattern, and isn't surely a request that reads. */
const allows = ({ methods, paths }: Allowed, wanted: Wanted): boolean => {
  const { method, path, api } = wanted;
  const comparesPaths = paths !== null || (methods === null && typeof api?.reads === 'object');
  if (comparesPaths && !isUnambiguous(path)) return false;
  if (methods ? !methods.includes(method) : !onlyReads(api?.reads, wanted)) return false;
  return paths === null || patternsOf(paths).some((pattern) => matchesPattern(path, pattern));
};

/** What may still be sent once the connection is known. */
export type Permit = readonly Allowed[];

/** Refuses a request that the token may not send to any connection. Returns what allows it. */
export const findPermit = ({ allow }: Restriction, wanted: Wanted): Permit => {
  const permit = allow.filter((one) => concerns(one, wanted) && allows(one, wanted));
  if (permit.length > 0) return permit;
  throw allow.some((one) => concerns(one, wanted)) && !isUnambiguous(wanted.path)
    ? pathUnclear()
    : requestNotAllowed(wanted);
};

/** Refuses a connection that the token may not use, or whose account has been replaced since the token was made. */
export const checkPermit = (permit: Permit, connection: Connection): void => {
  const named = permit.filter(({ connection: name }) => name === null || name === connection.name);
  if (named.length === 0) throw accountNotAllowed(connection.name, null);
  if (named.some(({ account }) => account === null || isBoundTo(account, connection))) return;
  throw accountNotAllowed(connection.name, named[0]?.account?.label ?? null);
};
