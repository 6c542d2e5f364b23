import type { Caller } from '../../http/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { UsageMeter } from '../usage/usage-meter.ts';
import type { LoggedRequest, RequestSource } from './logged-request.ts';
import type { RequestLog } from './request-log.ts';

type Begun = Pick<LoggedRequest, 'method' | 'host' | 'path' | 'traceId'> & Pick<RequestSource, 'kind'>;
type Ended = Pick<LoggedRequest, 'status' | 'from' | 'failed' | 'requestBytes' | 'responseBytes'>;

/** A request that a token's rights refuse, before or after its connection is known. */
type Refused = Begun & Pick<RequestSource, 'provider' | 'connection'>;

const REFUSED = { status: 403, from: 'patchbay', failed: true, retried: false } as const;
const NOTHING_SENT = { ms: 0, requestBytes: 0, responseBytes: 0 };

type User = Pick<Caller, 'userId' | 'tokenId' | 'tokenName'> & Pick<RequestSource, 'via'>;

/**
 * Records each use of a connection's credential: in the counts by hour, and in the request log. The log also has what a
 * token's rights refused.
 */
export const createCredentialUses = ({ usage, requestLog }: { usage: UsageMeter; requestLog: RequestLog }) => ({
  /** Logs a request that wasn't sent, because the rights of its token refuse it. */
  refuse(caller: Pick<Caller, 'teamId'> & User, { kind, provider, connection, ...request }: Refused): void {
    const { teamId, userId, via, tokenId = null, tokenName = null } = caller;
    const source = { teamId, connectionId: '', provider, connection, accountId: null, accountLabel: null };
    requestLog.add({ ...source, kind, via, userId, tokenId, tokenName }, { ...request, ...REFUSED, ...NOTHING_SENT });
  },
  /** Call this when the request begins, and `end` of the result once, when it's over. */
  begin(connection: Connection, caller: User, { kind, ...request }: Begun) {
    const { teamId, id: connectionId, provider, name, accountId, accountLabel } = connection;
    const { userId, via, tokenId = null, tokenName = null } = caller;
    const source = { teamId, connectionId, provider, connection: name, accountId, accountLabel };
    const startedAt = performance.now();
    let retried = false;
    return {
      /** Notes that the request is sent again with a renewed credential. */
      retry(): void {
        retried = true;
      },
      end(ended: Ended): void {
        const { failed, requestBytes, responseBytes } = ended;
        const ms = Math.round(performance.now() - startedAt);
        usage.count(connection, { failed, bytes: requestBytes + responseBytes, tokenId });
        requestLog.add({ ...source, kind, via, userId, tokenId, tokenName }, { ...request, ...ended, retried, ms });
      },
    };
  },
});

export type CredentialUses = ReturnType<typeof createCredentialUses>;
export type CredentialUse = ReturnType<CredentialUses['begin']>;
