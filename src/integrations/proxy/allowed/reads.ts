import type { ProviderApi } from '../../catalogue/provider-api.ts';
import { matchesPattern, type PathPattern, parsePattern, toSegments } from './path-pattern.ts';

type Reads = NonNullable<ProviderApi['reads']>;
type Named = { method: string; host: string | null; pattern: PathPattern };

/** Parses an entry's line, such as `POST /conversations.list`, or `POST content /files/download`. */
const parseLine = (line: string): Named | null => {
  const parts = line.split(' ');
  const [method = '', path = ''] = [parts[0], parts.at(-1)];
  const pattern = parsePattern(path);
  return pattern && { method, host: parts.length > 2 ? (parts[1] ?? null) : null, pattern };
};

const parsed = new WeakMap<readonly string[], Named[]>();

const parse = (lines: readonly string[]): Named[] => {
  const known = parsed.get(lines) ?? lines.map(parseLine).filter((named) => named !== null);
  parsed.set(lines, known);
  return known;
};

export type ApiRequest = { method: string; host: string | null; path: string };

const READING_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request only reads, by what the provider's entry says. `path` begins with a slash and is unambiguous. */
export const onlyReads = (reads: Reads = 'methods', { method, host, path }: ApiRequest): boolean => {
  if (reads === 'methods') return READING_METHODS.includes(method);
  const segments = toSegments(path);
  return parse(reads).some(
    (named) => named.method === method && named.host === host && matchesPattern(segments, named.pattern),
  );
};
