import { Readable } from 'node:stream';
import { type Forwarded, OutboundFailed, Refusal, workFor } from '../../platform/index.ts';
import { recordAudit, SERVICE } from '../../teams/index.ts';
import { addCredential } from '../proxy/draft-request.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import { endBody, refusalOfFailure } from '../proxy/pass-request.ts';
import { returnedHeaders } from '../proxy/returned-headers.ts';
import { rewriteLinks } from '../proxy/rewrite-links.ts';
import type { CredentialUse } from '../request-log/credential-uses.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import {
  AFTER_MARK_MS,
  type Approval,
  type ApprovalState,
  MOST_RESPONSE_BYTES,
  MOST_SENDING_MS,
  SENT_WITHIN_MS,
} from './approval.ts';
import {
  type Content,
  type KeptResponse,
  openContent,
  openTarget,
  sealResponse,
  type Target,
} from './approval-content.ts';
import { end, getApproval, markBegun } from './approval-store.ts';
import { auditDetailOf } from './audit-approval.ts';
import type { ApprovalsContext } from './context.ts';
import { findObstacle, lockObstacle } from './find-obstacle.ts';

const KEEP_TRYING_MS = 20_000;

const HOST_CHANGED = "The address of the provider's API has changed.";
const TOO_LATE = 'It could not be sent within five minutes after it was approved.';
const NO_ANSWER = "The provider didn't answer, so it may or may not have carried out the request.";
const NOT_SENT = "The provider couldn't be reached.";

/** How an approved request can end, with what the audit log calls it. */
const ENDINGS = {
  sent: 'approval.send',
  refused: 'approval.stop',
  failed: 'approval.fail',
  unclear: 'approval.unclear',
} as const satisfies Partial<Record<ApprovalState, string>>;

type Outcome = { state: keyof typeof ENDINGS; problem?: string; status?: number; response?: string };

/** Stores how a request ended, with an entry in the audit log. Does nothing if it has ended already. */
const finish = (context: ApprovalsContext, approval: Approval, method: string, outcome: Outcome): Promise<void> =>
  context.database.transaction(async (tx) => {
    const now = context.clock.now();
    if ((await end(tx, approval, { ...outcome, now })) === 0) return;
    const { state, status, problem } = outcome;
    const detail = {
      ...auditDetailOf(approval, method),
      ...(status === undefined ? {} : { status }),
      ...(problem === undefined ? {} : { problem }),
    };
    await recordAudit(context, tx, approval.teamId, SERVICE, {
      action: ENDINGS[state],
      target: approval.id,
      detail,
    });
  });

/** Reads a response up to the limit. A response that fails on the way counts as cut. */
const readResponse = async ({ body }: Forwarded): Promise<Pick<KeptResponse, 'body' | 'isCut'>> => {
  if (!(body instanceof Readable))
    return { body: body.subarray(0, MOST_RESPONSE_BYTES), isCut: body.length > MOST_RESPONSE_BYTES };
  const pieces: Buffer[] = [];
  let room = MOST_RESPONSE_BYTES;
  let isCut = false;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece.subarray(0, room));
      isCut = piece.length > room;
      room -= Math.min(room, piece.length);
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  return { body: Buffer.concat(pieces), isCut };
};

/** The response as the proxy would return it. Its length may have changed, so the server says it anew. */
const toKept = async (
  context: ApprovalsContext,
  opened: OpenApi,
  approval: Approval,
  { target, content }: Opened,
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
  return { status: forwarded.status, headers, ...(await readResponse(forwarded)) };
};

type Opened = { target: Target; content: Content };

const endUse = (use: CredentialUse, { content }: Opened, answer: Forwarded | { status: number }): void => {
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
const sendMarked = async (
  context: ApprovalsContext,
  opened: OpenApi,
  approval: Approval,
  stored: Opened,
): Promise<Outcome> => {
  const { forwarder, uses, verifier, vault } = context;
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
  const signal = AbortSignal.timeout(MOST_SENDING_MS);
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
  }
};

/**
 * Writes the mark, if everything is still as it was when the request was shown. Returns the approval with its mark, or
 * how it ended. Null if another process has it.
 */
const mark = (context: ApprovalsContext, approval: Approval): Promise<Approval | Outcome | null> =>
  context.database.transaction(async (tx) => {
    const obstacle = await lockObstacle(context, tx, approval);
    if (obstacle !== null) return { state: 'refused', problem: obstacle };
    const now = context.clock.now();
    const leaseUntil = now + AFTER_MARK_MS;
    const marked = await markBegun(tx, approval, { now, lease: approval.leaseUntil ?? 0, leaseUntil });
    return marked === 0 ? null : { ...approval, begunAt: now, leaseUntil };
  });

/** Opens the connection's API, with a fresh credential. Returns how the request ends if that's impossible. */
const openFor = async (context: ApprovalsContext, approval: Approval): Promise<OpenApi | Outcome> => {
  const { teamId, provider, connection: name, host, origin } = approval;
  const obstacle = await findObstacle(context, context.database, approval);
  if (obstacle !== null) return { state: 'refused', problem: obstacle };
  try {
    const opened = await context.apis.open({ teamId, provider, name });
    return opened.addressOf(host ?? undefined).url.href === origin
      ? opened
      : { state: 'refused', problem: HOST_CHANGED };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error;
    return { state: 'failed', problem: error.message };
  }
};

/** Sends an approved request whose lease this process holds. */
const send = async (context: ApprovalsContext, approval: Approval, stored: Opened): Promise<void> => {
  const { clock, pause } = context;
  const finishWith = (ended: Approval, outcome: Outcome): Promise<void> =>
    keepTrying(KEEP_TRYING_MS, () => finish(context, ended, stored.target.method, outcome));
  if (clock.now() > (approval.decidedAt ?? 0) + SENT_WITHIN_MS)
    return finishWith(approval, { state: 'failed', problem: TOO_LATE });
  await pause.check();
  const opened = await openFor(context, approval);
  if ('state' in opened) return finishWith(approval, opened);
  const marked = await mark(context, approval);
  if (marked === null) return;
  if (!('id' in marked)) return finishWith(approval, marked);
  await finishWith(marked, await sendMarked(context, opened, marked, stored));
};

/**
 * Sends a request that was approved, if this process still holds the lease. If that fails before the mark, another try
 * follows once the lease has ended.
 */
export const sendApproved = (
  context: ApprovalsContext,
  { teamId, id }: Pick<Approval, 'teamId' | 'id'>,
  lease: number,
): Promise<void> =>
  workFor(teamId, async () => {
    const { database, vault, log } = context;
    try {
      const approval = await getApproval(database, teamId, id);
      if (approval?.state !== 'sending' || approval.begunAt !== null || approval.leaseUntil !== lease) return;
      const content = await openContent(vault, approval);
      if (content) await send(context, approval, { target: await openTarget(vault, approval), content });
    } catch (err) {
      log.warn({ err, teamId, approval: id }, 'an approved request could not be sent yet');
    }
  });
