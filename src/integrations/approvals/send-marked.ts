import { type Forwarded, OutboundFailed, Refusal } from '../../platform/index.ts';
import { addCredential } from '../proxy/draft-request.ts';
import { rewriteLinks } from '../proxy/links/rewrite-links.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import { endBody, refusalOfFailure } from '../proxy/pass-request.ts';
import { readUpTo } from '../proxy/read-up-to.ts';
import { returnedHeaders } from '../proxy/returned-headers.ts';
import type { CredentialUse } from '../request-log/credential-uses.ts';
import { type Approval, type ApprovalState, MOST_RESPONSE_BYTES, MOST_SENDING_MS } from './approval.ts';
import { type ApprovalTarget, type Content, type KeptResponse, sealResponse } from './approval-content.ts';
import type { ApprovalsContext } from './context.ts';

/** How an approved request can end. */
export type Outcome = {
  state: Extract<ApprovalState, 'refused' | 'sent' | 'failed' | 'unclear'>;
  problem?: string;
  status?: number;
  /** The response, sealed. */
  response?: string;
};

/** What was stored of the request, opened. */
export type ApprovedRequest = { target: ApprovalTarget; content: Content };

const NO_ANSWER = "The provider didn't answer, so it may or may not have carried out the request.";
const NOT_SENT = "The provider couldn't be reached.";

/** The response as the proxy would return it. Its length may have changed, so the server says it anew. */
const toKept = async (
  context: ApprovalsContext,
  opened: OpenApi,
  approval: Approval,
  { target, content }: ApprovedRequest,
  forwarded: Forwarded,
): Promise<KeptResponse> => {
  const asked = {
    ...{ path: target.path.slice(1), query: target.query, host: approval.host ?? undefined },
    connection: approval.connection,
  };
  const follower = {
    origin: context.url,
    headers: content.asker,
    original: content.asker['patchbay-links'] === 'original',
  };
  const { 'content-length': _, ...headers } = returnedHeaders(forwarded, opened.credential, (list) =>
    rewriteLinks(list, opened, asked, follower),
  );
  return { status: forwarded.status, headers, ...(await readUpTo(forwarded, MOST_RESPONSE_BYTES)) };
};

const endUse = (use: CredentialUse, { content }: ApprovedRequest, answer: Forwarded | { status: number }): void => {
  const isAnswer = 'headers' in answer;
  use.end({
    status: answer.status,
    from: isAnswer ? 'provider' : 'patchbay',
    failed: answer.status >= 400,
    requestBytes: content.body?.length ?? 0,
    responseBytes: isAnswer ? answer.count() : 0,
  });
};

/** Sends a request whose mark this process has written. It's never sent again, whatever happens. */
export const sendMarked = async (
  context: ApprovalsContext,
  opened: OpenApi,
  approval: Approval,
  stored: ApprovedRequest,
): Promise<Outcome> => {
  const { forwarder, uses, verifier, vault, containmentWatch } = context;
  const { target, content } = stored;
  const { userId, tokenId, tokenName, host } = approval;
  const caller = { userId, via: 'token', tokenId, tokenName } as const;
  const use = uses.begin(opened.connection, caller, {
    kind: 'approval',
    method: target.method,
    host,
    path: target.path,
    traceId: null,
  });
  const { url, trusted } = opened.addressOf(host ?? undefined);
  const watch = containmentWatch.watch(opened.connection, tokenId);
  const signal = AbortSignal.any([AbortSignal.timeout(MOST_SENDING_MS), watch.signal]);
  try {
    const forwarded = await forwarder.forward({
      // No other request shares its network connection, so a connection that was closed meanwhile can't lose it.
      owner: `approval ${approval.id}`,
      method: target.method,
      origin: url,
      ...addCredential(
        { path: target.path.slice(1), query: target.query, url, headers: content.headers },
        opened.credential,
      ),
      body: content.body,
      ...{ trusted, signal, once: true },
    });
    const kept = await toKept(context, opened, approval, stored, forwarded);
    endBody(forwarded);
    endUse(use, stored, forwarded);
    if (forwarded.status === 401) await verifier.doubt(opened.connection).catch(() => undefined);
    return { state: 'sent', status: forwarded.status, response: await sealResponse(vault, approval, kept) };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    const refusal = refusalOfFailure(error);
    endUse(use, stored, { status: refusal instanceof Refusal ? refusal.status : 500 });
    return error.sent ? { state: 'unclear', problem: NO_ANSWER } : { state: 'failed', problem: NOT_SENT };
  } finally {
    watch.end();
  }
};
