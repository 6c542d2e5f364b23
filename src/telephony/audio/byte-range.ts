import type { ByteRange } from '../../vault/index.ts';

/** The requested range. `whole`: there is no range, or it can't be followed and is ignored (RFC 9110, 14.2). */
type AskedRange = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'outside' };

const WHOLE: AskedRange = { kind: 'whole' };
const ONE_RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/** Returns the range of the last `length` bytes. */
const suffixOf = (length: number, bytes: number): AskedRange => {
  if (length === 0 || bytes === 0) return { kind: 'outside' };
  const start = Math.max(0, bytes - length);
  return { kind: 'part', range: { start, length: bytes - start } };
};

/** Reads the `Range` header for content of this length. A request for several ranges gets the whole content. */
export const parseRange = (header: string | undefined, bytes: number): AskedRange => {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return WHOLE;
  if (first === '') return suffixOf(Number(last), bytes);
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return WHOLE;
  if (start >= bytes) return { kind: 'outside' };
  return { kind: 'part', range: { start, length: end - start + 1 } };
};

/**
 * Returns the range to send. If `If-Range` names another version of the content, everything is sent, because the client
 * can't add a part to the version that it has.
 */
export const rangeOf = (
  { range, 'if-range': ifRange }: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
  { bytes, etag }: { bytes: number; etag: string },
): AskedRange => (ifRange !== undefined && ifRange !== etag ? WHOLE : parseRange(range, bytes));
