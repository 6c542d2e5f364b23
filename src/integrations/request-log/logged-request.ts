import type { Caller } from '../../http/index.ts';

/** Who used a connection, and which connection. Requests with the same source can be stored together. */
export type RequestSource = {
  teamId: string;
  /** Empty if a token's rights refused the request before a connection was looked up. */
  connectionId: string;
  provider: string;
  /** The name of the connection. Empty if the request was refused and named none. */
  connection: string;
  accountId: string | null;
  accountLabel: string | null;
  /**
   * How the credential was used: through the proxy, by an agent's tool, for a request that an admin has approved, or by
   * the service itself, to look up callers and log calls.
   */
  kind: 'proxy' | 'mcp' | 'approval' | 'people';
  /** What the caller called with. */
  via: Caller['via'] | 'service';
  /** Empty if the service called. */
  userId: string;
  /** The access token that the caller used. Null for other credentials. */
  tokenId: string | null;
  tokenName: string | null;
};

/** A finished request. It has no query and no body, because they may contain anything. */
export type LoggedRequest = {
  id: string;
  /** When it ended. */
  at: number;
  method: string;
  /** The name of the entry's host. Null for the API's own address. */
  host: string | null;
  path: string;
  /** The status that the caller got. Null if the caller left before there was one. */
  status: number | null;
  from: 'provider' | 'patchbay';
  /** True if the response has an error status, or is missing or incomplete because of the provider. */
  failed: boolean;
  /** Whether it was sent again with a renewed credential. */
  retried: boolean;
  ms: number;
  requestBytes: number;
  responseBytes: number;
  /** The trace that it belongs to. Missing in requests from before there were traces. */
  traceId?: string | null;
};

type WhoCalled = Pick<RequestSource, 'tokenId'> & { userId: string | null; via: RequestSource['via'] | null };

/** Tells callers apart: by access token, or else by user. The operator is one caller, whomever it acts for. */
export const callerKeyOf = ({ tokenId, userId, via }: WhoCalled): string =>
  tokenId ?? (via === 'operator' || via === 'service' ? via : `user:${userId}`);

/** Tells people apart, whatever tokens they use. The operator is one person, whomever it acts for. */
export const personKeyOf = ({ userId, via }: Pick<RequestSource, 'userId' | 'via'>): string =>
  via === 'operator' || via === 'service' ? via : userId;
