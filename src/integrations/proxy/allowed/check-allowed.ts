import type { Allowed, Restriction } from '../../../http/index.ts';
import type { ProviderApi } from '../../catalogue/provider-api.ts';
import { accountNotAllowed, pathUnclear, requestNotAllowed } from '../errors.ts';
import type { OpenApi } from '../open-api.ts';
import { isBoundTo } from './bind-allowed.ts';
import { isUnambiguous, matchesPattern, type PathPattern, parsePattern, toSegments } from './path-pattern.ts';
import { type ApiRequest, onlyReads, readsByPath } from './reads.ts';

type Wanted = ApiRequest & {
  provider: string;
  /** Null if the request names no connection. */
  connection: string | null;
  /** The entry's API. Null if the entry has none. */
  api: Pick<ProviderApi, 'reads' | 'acts'> | null;
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

/** What all entries of a token are compared with, worked out once. */
type Compared = { segments: readonly string[]; isClear: boolean; reads: boolean };

const toCompared = (wanted: Wanted): Compared => {
  const { path, api } = wanted;
  const isClear = isUnambiguous(path);
  const known = api ?? {};
  return { segments: toSegments(path), isClear, reads: (isClear || !readsByPath(known)) && onlyReads(known, wanted) };
};

/** A path that a provider may read in two ways matches no pattern, and isn't surely a request that reads. */
const allows = ({ methods, paths }: Allowed, { method }: Wanted, { segments, isClear, reads }: Compared): boolean => {
  if (methods ? !methods.includes(method) : !reads) return false;
  return paths === null || (isClear && patternsOf(paths).some((pattern) => matchesPattern(segments, pattern)));
};

/** What may still be sent once the connection is known. `asks`: whether it has to wait for an approval. */
export type Permit = { allow: readonly Allowed[]; asks: boolean };

/**
 * Refuses a request that the token may not send to any connection. Returns what allows it. If only the method or the
 * path isn't allowed, and the token asks for approvals, returns what allows the connection and the host.
 */
export const findPermit = ({ allow, approvalMinutes }: Restriction, wanted: Wanted): Permit => {
  const near = allow.filter((one) => concerns(one, wanted));
  if (near.length === 0) throw requestNotAllowed(wanted);
  const compared = toCompared(wanted);
  const permit = near.filter((one) => allows(one, wanted, compared));
  if (permit.length > 0) return { allow: permit, asks: false };
  if (approvalMinutes !== null) return { allow: near, asks: true };
  throw compared.isClear ? requestNotAllowed(wanted) : pathUnclear();
};

/** The connection that a request means that names none, if everything that allows it is about the same one. */
export const onlyConnectionOf = ({ allow }: Permit): string | null => {
  const names = new Set(allow.map(({ connection }) => connection));
  return names.size === 1 ? ([...names][0] ?? null) : null;
};

/** Refuses a connection that the token may not use, or whose account has been replaced since the token was made. */
export const checkPermit = ({ allow }: Permit, { connection, api }: Pick<OpenApi, 'connection' | 'api'>): void => {
  const named = allow.filter(({ connection: name }) => name === null || name === connection.name);
  if (named.length === 0) throw accountNotAllowed(connection.name, null);
  if (named.some(({ account }) => account === null || isBoundTo(account, connection, api))) return;
  throw accountNotAllowed(connection.name, named[0]?.account?.label ?? null);
};
