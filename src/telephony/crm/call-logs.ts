import { Refusal, toIso, withContext } from '../../platform/index.ts';
import { type AuditActor, lockAdmin, recordAudit } from '../../teams/index.ts';
import { callLogUnknown } from '../errors.ts';
import { type CallLogRow, type CallLogState, countLogs, listUnlogged, retryLog } from '../people/log-store.ts';
import type { CrmsContext } from './context.ts';

type Wanted = Parameters<CrmsContext['people']['findPeopleConnection']>[0];

/** A call that isn't in a CRM's log, and why. */
const toUnlogged = ({ url }: Pick<CrmsContext, 'url'>, { callId, state, problem, changedAt }: CallLogRow) => ({
  id: callId,
  url: `${url}/calls/${encodeURIComponent(callId)}`,
  state: state === 'sending' ? ('waiting' as const) : state,
  problem,
  since: toIso(changedAt),
});

/** Lists calls that aren't in the log of a connection's provider, and counts all of them by state. */
const listCallLogs = async (
  context: CrmsContext,
  wanted: Wanted,
  { after, limit }: { after?: string | undefined; limit: number },
) => {
  const { database, people } = context;
  const which = await people.findPeopleConnection(wanted);
  const rows = await listUnlogged(database, which, { after: after ?? '', limit: limit + 1 });
  const counts: Record<CallLogState, number> = { waiting: 0, sending: 0, logged: 0, refused: 0, unclear: 0 };
  for (const { state, n } of await countLogs(database, which)) counts[state] = Number(n);
  const { sending, waiting, ...others } = counts;
  const shown = rows.slice(0, limit);
  return {
    calls: shown.map((row) => toUnlogged(context, row)),
    counts: { waiting: waiting + sending, ...others },
    nextCursor: rows.length > limit ? (shown.at(-1)?.callId ?? null) : null,
  };
};

export type CallLogs = Awaited<ReturnType<typeof listCallLogs>>;

/** Makes a call due again that a CRM refused, or of which it's unclear whether it's logged. */
const retryCallLog = async (
  { database, clock, people, newId }: CrmsContext,
  wanted: Wanted,
  callId: string,
  actor: AuditActor,
): Promise<void> => {
  const which = await people.findPeopleConnection(wanted).catch((error) => {
    // What another team has looks like what nobody has.
    if (error instanceof Refusal) return null;
    throw error;
  });
  await database.transaction(async (tx) => {
    await lockAdmin(tx, wanted.teamId, actor);
    if (!which || (await retryLog(tx, { ...which, callId }, clock.now())) === 0) throw callLogUnknown();
    const entry = { action: 'integration.people.retry', target: wanted.provider, detail: { call: callId } };
    await recordAudit({ clock, newId }, tx, wanted.teamId, actor, entry);
  });
};

export const createCallLogs = (context: CrmsContext) => withContext(context, { listCallLogs, retryCallLog });
