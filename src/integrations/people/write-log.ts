import type { OptionalValues } from '../catalogue/people/fill-body.ts';
import type { CallLog } from '../catalogue/people/people.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import type { CrmAnswer, CrmContext } from './ask-crm.ts';
import { type Conversation, converse, type Later, laterAfter, type WhichConnection } from './converse.ts';

/** What is said of a call. Null where nothing is known. */
export type CallValues = OptionalValues & { call: string; outcome: string | null; direction: string };

/**
 * What became of an entry. `unclear`: it may have been made. `refused`: it surely wasn't. `off`: calls aren't logged with
 * this connection anymore.
 */
export type LogOutcome =
  | { state: 'logged'; id: string }
  | { state: 'refused'; status: number }
  | { state: 'unclear' | 'off' }
  | Later;

/** Whether there is an entry for a call. `unknown`: the provider can't say. */
export type FoundLog = { state: 'found'; id: string } | { state: 'none' | 'unknown' | 'off' } | Later;

const MOST_ID_CHARACTERS = 200;
const BEFORE_MS = 5 * 60_000;

type Logging = Conversation & { log: CallLog };

/** Puts the provider's words in place of ours. */
const translate = ({ words }: CallLog, values: CallValues): CallValues => {
  const { outcome = {}, direction = {} } = words ?? {};
  const ofOutcome = values.outcome === null ? undefined : outcome[values.outcome];
  return {
    ...values,
    outcome: ofOutcome ?? outcome['default'] ?? values.outcome,
    direction: direction[values.direction] ?? values.direction,
  };
};

const begin = async (context: CrmContext, which: WhichConnection): Promise<Logging | Later | { state: 'off' }> => {
  const conversation = await converse(context, which);
  if (conversation && 'state' in conversation) return conversation;
  const log = conversation?.settings.logSince === null ? null : conversation?.log;
  return conversation && log ? { ...conversation, log } : { state: 'off' };
};

const readId = (content: unknown, path: string): string | null => {
  const id = pickText(content, [path]);
  return id !== null && id.length <= MOST_ID_CHARACTERS ? id : null;
};

const toOutcome = (answer: CrmAnswer, failures: number, now: number): LogOutcome | null => {
  if (answer.state === 'answered') return null;
  if (answer.state === 'busy') return laterAfter(answer, failures, now);
  if (answer.state === 'refused' || answer.state === 'not_allowed') return { state: 'refused', status: answer.status };
  return { state: 'unclear' };
};

/** How long after it was sent an entry may be missing from a search. Null if calls aren't logged at this provider. */
export const settlesAfterMs = ({ catalogue }: Pick<CrmContext, 'catalogue'>, provider: string): number | null => {
  const log = catalogue.get(provider)?.record.log;
  return log ? log.find.settlesSeconds * 1_000 : null;
};

/** Makes an entry for a call. The caller must have made sure that there is none. */
export const createLogEntry = async (
  context: CrmContext,
  which: WhichConnection,
  values: CallValues,
): Promise<LogOutcome> => {
  const logging = await begin(context, which);
  if ('state' in logging) return logging;
  const { log, settings } = logging;
  const answer = await logging.ask(log.create, translate(log, values));
  const outcome = toOutcome(answer, settings.failures, context.clock.now());
  if (outcome) return outcome;
  const id = answer.state === 'answered' ? readId(answer.content, log.id) : null;
  return id === null ? { state: 'unclear' } : { state: 'logged', id };
};

/** Changes the entry of a call. Doing so twice has the same effect as doing it once. */
export const updateLogEntry = async (
  context: CrmContext,
  which: WhichConnection,
  id: string,
  values: CallValues,
): Promise<LogOutcome> => {
  const logging = await begin(context, which);
  if ('state' in logging) return logging;
  const { log, settings } = logging;
  const answer = await logging.ask(log.update, { ...translate(log, values), log: id });
  return toOutcome(answer, settings.failures, context.clock.now()) ?? { state: 'logged', id };
};

const readFound = ({ find }: CallLog, content: unknown, call: string): FoundLog => {
  const items = pick(content, find.items);
  if (!Array.isArray(items)) return { state: 'unknown' };
  const { where } = find;
  const fits = (item: unknown): boolean => where === undefined || (pickText(item, [where]) ?? '').includes(call);
  const id = items.filter(fits).flatMap((item) => readId(item, find.id) ?? [])[0];
  if (id !== undefined) return { state: 'found', id };
  const hasMore = find.more !== undefined && pickText(content, [find.more]) !== null;
  return { state: hasMore || items.some(fits) ? 'unknown' : 'none' };
};

/** Looks for the entry of a call that was sent at a time. */
export const findLogEntry = async (
  context: CrmContext,
  which: WhichConnection,
  { call, sentAt }: { call: string; sentAt: number },
): Promise<FoundLog> => {
  const logging = await begin(context, which);
  if ('state' in logging) return logging;
  const { log, settings } = logging;
  const since = new Date(sentAt - BEFORE_MS).toISOString().replace(/\.\d+Z$/, 'Z');
  const answer = await logging.ask(log.find, { call, since });
  if (answer.state === 'answered') return readFound(log, answer.content, call);
  if (answer.state === 'refused' || answer.state === 'not_allowed') return { state: 'unknown' };
  return laterAfter(answer, settings.failures, context.clock.now());
};
