import { isPhoneNumber } from '../../platform/index.ts';
import { getCallingCode } from '../accounts/get-calling-code.ts';
import { getCall, type ListedCall } from '../calls/call-store.ts';
import { type CallSummary, toCallSummaries } from '../calls/call-summary.ts';
import { type CallLogRow, deleteLog, markChanging, markLogged, markSending, putLogState } from '../people/log-store.ts';
import { openPerson, otherHashOf } from '../people/person.ts';
import { LOOKUP_FRESH_MS, listPersons } from '../people/person-store.ts';
import type { CrmsContext } from './context.ts';
import { describeCallForLog } from './describe-call.ts';

/** The least time after which an entry is looked for, and the pause after a change that may not have arrived. */
const LEAST_SETTLE_MS = 5_000;
const CHANGE_AGAIN_MS = 60_000;
/**
 * How often an entry is sent that isn't there afterward, although the CRM answers. More often, and one call that the CRM
 * can't take would hold up all others.
 */
const MOST_ATTEMPTS = 5;

/** Whether other calls of the connection can follow. */
export type LogStep = 'next' | 'stop';

const sayRefused = (status: number): string =>
  status === 401 || status === 403
    ? `It doesn't allow this connection to log calls (${status}).`
    : `It refused the entry (${status}).`;
const GAVE_UP = 'It answered, but had no entry after several tries.';
const CANT_SAY = "The answer was unclear, and it can't be found out whether there is an entry.";
const UNCLEAR = "The answer was unclear. Patchbay looks for the entry before it's sent again.";

type Which = Pick<CallLogRow, 'teamId' | 'connectionId'>;

/**
 * The ID of the call's contact at the CRM. Null if there isn't exactly one, or if the CRM doesn't say. Looks the number up
 * if that wasn't done lately, or with another connection. Says until when to wait if the CRM has to be asked later.
 */
const findContact = async (
  context: CrmsContext,
  which: Which,
  { row, summary }: { row: ListedCall; summary: CallSummary },
): Promise<string | null | { until: number }> => {
  const { database, vault, clock, people } = context;
  const partyHash = otherHashOf(row);
  const number = summary.direction === 'inbound' ? summary.from : summary.to;
  if (partyHash === null || number === null || !isPhoneNumber(number)) return null;
  const [known] = await listPersons(database, [{ teamId: which.teamId, partyHash }]);
  const isFresh = (known?.askedAt ?? 0) > clock.now() - LOOKUP_FRESH_MS;
  if (known && isFresh && known.connectionId === which.connectionId)
    return (await openPerson(vault, known))?.id ?? null;
  const outcome = await people.lookUpPerson(which, number);
  if (outcome.state === 'later') return { until: outcome.until };
  return outcome.state === 'found' ? outcome.contact.id : null;
};

const describe = async (context: CrmsContext, log: CallLogRow, row: ListedCall) => {
  const [summary] = await toCallSummaries(context, [row]);
  if (!summary) return null;
  const contact = await findContact(context, log, { row, summary });
  if (typeof contact === 'object' && contact !== null) return contact;
  const url = `${context.url}/calls/${encodeURIComponent(row.id)}`;
  const callingCode = await getCallingCode(context, log.teamId);
  return describeCallForLog(summary, { url, callingCode, personId: contact });
};

const put = (
  { database, clock }: CrmsContext,
  log: CallLogRow,
  { state, dueAt, problem }: Pick<CallLogRow, 'state' | 'dueAt' | 'problem'>,
): Promise<number> => putLogState(database, log, { state, dueAt, problem, now: clock.now() });

const waitUntil = async (context: CrmsContext, log: CallLogRow, dueAt: number): Promise<LogStep> => {
  await put(context, log, { state: log.state, dueAt, problem: log.problem });
  return 'stop';
};

/** Sends an entry for the first time, or again after it was found out that it isn't there. */
const create = async (context: CrmsContext, log: CallLogRow, row: ListedCall): Promise<LogStep> => {
  const { database, clock, people } = context;
  if (log.attempts >= MOST_ATTEMPTS) {
    await put(context, log, { state: 'refused', dueAt: null, problem: GAVE_UP });
    return 'next';
  }
  const values = await describe(context, log, row);
  if (!values) return 'next';
  if ('until' in values) return waitUntil(context, log, values.until);
  const settings = (await people.listOfTeams([log.teamId])).find((one) => one.connectionId === log.connectionId);
  const settleMs = Math.max(LEAST_SETTLE_MS, (settings && people.settlesAfterMs(settings.provider)) ?? 0);
  const now = clock.now();
  // From here on, nobody sends it without looking for it first.
  if ((await markSending(database, log, { now, dueAt: now + settleMs })) === 0) return 'next';
  const outcome = await people.createLogEntry(log, values);
  if (outcome.state === 'logged') await markLogged(database, log, outcome.id, clock.now());
  else if (outcome.state === 'off') await deleteLog(database, log);
  else if (outcome.state === 'refused')
    await put(context, log, { state: 'refused', dueAt: null, problem: sayRefused(outcome.status) });
  else if (outcome.state === 'later') return waitUntil(context, { ...log, state: 'waiting' }, outcome.until);
  else await put(context, log, { state: 'sending', dueAt: clock.now() + settleMs, problem: UNCLEAR });
  return 'next';
};

/** Looks for an entry that may have arrived. */
const look = async (context: CrmsContext, log: CallLogRow): Promise<LogStep> => {
  const { database, clock, people } = context;
  const found = await people.findLogEntry(log, { call: log.callId, sentAt: log.sentAt ?? clock.now() });
  if (found.state === 'later') return waitUntil(context, log, found.until);
  if (found.state === 'found') await markLogged(database, log, found.id, clock.now());
  else if (found.state === 'off') await deleteLog(database, log);
  else if (found.state === 'none') await put(context, log, { state: 'waiting', dueAt: clock.now(), problem: null });
  else await put(context, log, { state: 'unclear', dueAt: null, problem: CANT_SAY });
  return 'next';
};

/** Changes an entry that there is. This can be repeated, so it needs no search. */
const change = async (context: CrmsContext, log: CallLogRow, entryId: string, row: ListedCall): Promise<LogStep> => {
  const { database, clock, people } = context;
  const values = await describe(context, log, row);
  if (!values) return 'next';
  if ('until' in values) return waitUntil(context, log, values.until);
  if ((await markChanging(database, log)) === 0) return 'next';
  const outcome = await people.updateLogEntry(log, entryId, values);
  if (outcome.state === 'logged') await markLogged(database, log, entryId, clock.now());
  else if (outcome.state === 'off') await deleteLog(database, log);
  else if (outcome.state === 'refused')
    await put(context, log, { state: 'refused', dueAt: null, problem: sayRefused(outcome.status) });
  else if (outcome.state === 'later') return waitUntil(context, log, outcome.until);
  else await put(context, log, { state: 'waiting', dueAt: clock.now() + CHANGE_AGAIN_MS, problem: UNCLEAR });
  return 'next';
};

/** Does what is next for a call in a CRM's log. */
export const logOneCall = async (context: CrmsContext, log: CallLogRow): Promise<LogStep> => {
  const row = await getCall(context.database, log.teamId, log.callId);
  if (!row) {
    await deleteLog(context.database, log);
    return 'next';
  }
  if (log.state === 'sending') return look(context, log);
  return log.entryId === null ? create(context, log, row) : change(context, log, log.entryId, row);
};
