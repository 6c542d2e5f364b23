import type { IncomingHttpHeaders } from 'node:http';

/** One webhook request exactly as it came: what is signed are these bytes and no others. */
export type Delivery = {
  route: 'voice' | 'recording';
  method: 'GET' | 'POST';
  /** Path and query, unparsed. */
  target: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

export const queryOf = ({ target }: Delivery): URLSearchParams =>
  new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');

export const contentTypeOf = ({ headers }: Delivery): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export const headerOf = ({ headers }: Delivery, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
