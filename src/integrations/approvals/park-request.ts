import { Readable } from 'node:stream';
import { adminOnly, type Caller } from '../../http/index.ts';
import { type Queries, type Refusal, toIso } from '../../platform/index.ts';
import {
  begunWith,
  callerRemoved,
  getTokenExpiry,
  lockTeam,
  lockUserWhoBegan,
  recordAudit,
} from '../../teams/index.ts';
import { accountOf } from '../proxy/allowed/bind-allowed.ts';
import { tooManyProxied } from '../proxy/errors.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import type { ParkedRequest } from '../proxy/pass-request.ts';
import { plainName } from '../proxy/proxy-headers.ts';
import { type Approval, MOST_APPROVALS_PER_HOUR, MOST_BODY_BYTES, MOST_WAITING_APPROVALS } from './approval.ts';
import { sealContent, sealTarget } from './approval-content.ts';
import { toApprovalEvent } from './approval-event.ts';
import { countAskedSince, countWaitingApprovals, insertApproval } from './approval-store.ts';
import { auditDetailOf, tokenActor } from './audit-approval.ts';
import type { ApprovalsContext } from './context.ts';
import {
  approvalBodyTooLarge,
  approvalEncodingRefused,
  approvalNeeded,
  tooManyAsked,
  tooManyWaiting,
} from './errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Headers of the caller's request that decide about the links in the response. */
const ABOUT_LINKS = ['patchbay-links', 'host', 'x-forwarded-host', 'forwarded'] as const;

const readAsker = (headers: ParkedRequest['asker']): Record<string, string> =>
  Object.fromEntries(
    ABOUT_LINKS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );

/** Returns the body, which has to be complete, and readable for an admin. */
const readBody = ({ asker, body: { content, length } }: ParkedRequest): Buffer | null => {
  if (Object.keys(asker).some((name) => plainName(name) === 'content-encoding')) throw approvalEncodingRefused();
  // A short body is only passed on as a stream while there's no memory for it.
  if (content instanceof Readable)
    throw (length ?? MOST_BODY_BYTES) < MOST_BODY_BYTES ? tooManyProxied() : approvalBodyTooLarge();
  if (content && content.length > MOST_BODY_BYTES) throw approvalBodyTooLarge();
  return content;
};

/** Refuses a request if too many wait, or if the token has asked for too many. */
const checkCounts = async (queries: Queries, of: Pick<Approval, 'teamId' | 'tokenId'>, now: number): Promise<void> => {
  const waiting = await countWaitingApprovals(queries, of, now);
  for (const whose of ['ofToken', 'ofTeam'] as const)
    if (waiting[whose] >= MOST_WAITING_APPROVALS[whose]) throw tooManyWaiting(whose);
  if ((await countAskedSince(queries, of, now - HOUR_MS)) >= MOST_APPROVALS_PER_HOUR) throw tooManyAsked();
};

/** Stores a request of a restricted token until an admin decides. Returns the refusal that says so. */
export const parkRequest = async (
  context: ApprovalsContext,
  caller: Caller,
  { connection, api }: OpenApi,
  parked: ParkedRequest,
): Promise<Refusal> => {
  const { database, clock, newId, vault, url, record } = context;
  const { teamId, userId, tokenId = '', tokenName = '', restriction } = caller;
  const { method, path, query, headers, url: origin } = parked.draft;
  const body = readBody(parked);
  const place = { teamId, id: newId() };
  const target = { method, path: `/${path}`, query };
  // Count before a large body is sealed, too.
  await checkCounts(database, { teamId, tokenId }, clock.now());
  const sealedTarget = await sealTarget(vault, place, target);
  const content = await sealContent(vault, place, { headers, body, asker: readAsker(parked.asker) });
  const expiresAt = await database.transaction(async (tx) => {
    // Count under the lock, so that concurrent requests count each other.
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    const now = clock.now();
    await checkCounts(tx, { teamId, tokenId }, now);
    const tokenEnds = await getTokenExpiry(tx, teamId, tokenId);
    if (tokenEnds === undefined) throw callerRemoved();
    const approval: Approval = {
      ...{ ...place, target: sealedTarget, tokenId, tokenName, userId, byOperator: restriction?.byOperator === true },
      ...{ provider: connection.provider, connection: connection.name, account: accountOf(connection, api) },
      ...{ host: parked.host, origin: origin.href, bytes: body?.length ?? 0, state: 'waiting', problem: null },
      requestedAt: now,
      expiresAt: Math.min(now + (restriction?.approvalMinutes ?? 0) * MINUTE_MS, tokenEnds),
      ...{ decidedBy: null, decidedWith: null, decidedAt: null, leaseUntil: null, begunAt: null, endedAt: null },
      status: null,
    };
    await insertApproval(tx, approval, content);
    await record(tx, toApprovalEvent(context, 'approval.requested', approval, { target, decider: null }));
    const entry = { action: 'approval.request', target: place.id, detail: auditDetailOf(approval, method) };
    await recordAudit(context, tx, teamId, tokenActor(approval), entry);
    const user = await lockUserWhoBegan(tx, caller, { begunAt: now, ...begunWith(caller) }, now);
    if (!user) throw callerRemoved();
    // In other processes, a former admin stays cached for up to a second.
    if (user.role !== 'admin' && !approval.byOperator) throw adminOnly();
    return approval.expiresAt;
  });
  return approvalNeeded({ id: place.id, url: `${url}/approvals/${place.id}`, expiresAt: toIso(expiresAt) });
};
