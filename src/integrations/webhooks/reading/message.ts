import type { IncomingHttpHeaders } from 'node:http';

/** A request at a webhook address. */
export type Message = {
  method: 'GET' | 'POST';
  /** The URL that was registered at the provider. */
  url: string;
  /** The query, without the question mark. */
  query: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

/** The content of a message: its JSON, or the fields of its form. Null if it has none, or if it's unreadable. */
export type MessageContent = { value: unknown; isJson: boolean } | null;

/** What can be read from a message, besides its headers and query. */
export type Known = {
  content?: unknown;
  item?: unknown;
  claims?: Readonly<Record<string, unknown>> | null;
  /** The named parts of the signature's header. */
  parts?: ReadonlyMap<string, string> | undefined;
};

export const readTextHeader = ({ headers }: Pick<Message, 'headers'>, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
