import type { ProviderApi } from '../../catalogue/provider-api.ts';
import { matchesPattern, type PathPattern, parsePattern, toSegments } from './path-pattern.ts';

/** What an entry says about requests that read. */
type Known = Pick<ProviderApi, 'reads' | 'acts'>;
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

const listed = (reads: readonly string[], { method, host, path }: ApiRequest): boolean => {
  const segments = toSegments(path);
  return parse(reads).some(
    (named) => named.method === method && named.host === host && matchesPattern(segments, named.pattern),
  );
};

const plain = (text: string): string[] => toSegments(decodeURIComponent(text).toLowerCase());

/** Whether a segment is the wanted one. `*` stands for any, and `*:run` for any that ends so. */
const isSegment = (segment: string, wanted: string): boolean =>
  wanted.startsWith('*')
    ? segment !== '' && segment.endsWith(wanted.slice(1))
    : segment === wanted || segment.startsWith(`${wanted}.`);

/**
 * Whether a path has the segments of a pattern, one after the other. Where they begin, what comes after them, and
 * whether letters are large doesn't matter, because servers differ in that: rather too many requests act than too few.
 */
const hasSegments = (segments: readonly string[], wanted: readonly string[]): boolean =>
  segments.some((_segment, at) => wanted.every((one, offset) => isSegment(segments[at + offset] ?? '', one)));

/**
 * Whether a request only reads, by what the provider's entry says. `path` begins with a slash and, unless the entry
 * says nothing about paths, is unambiguous.
 */
export const onlyReads = ({ reads = 'methods', acts }: Known, request: ApiRequest): boolean => {
  if (reads !== 'methods') return listed(reads, request);
  if (!READING_METHODS.includes(request.method)) return false;
  if (!acts) return true;
  const segments = plain(request.path);
  return !acts.some((pattern) => hasSegments(segments, plain(pattern)));
};

/** Whether what reads depends on the path. */
export const readsByPath = ({ reads, acts }: Known): boolean => typeof reads === 'object' || acts !== undefined;
