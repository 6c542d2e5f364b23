import type { EventType, NewEvent } from '../../events/index.ts';
import type { Queries } from '../../platform/index.ts';
import { listSimulatedAmong } from '../accounts/simulated-account-store.ts';
import type { TelephonyContext } from '../context.ts';
import { isUntaken } from './call.ts';
import { openParties, type Parties } from './call-parties.ts';
import { type CallRow, type ListedCall, listReturns } from './call-store.ts';
import { summarizeCall } from './call-summary.ts';
import { toCallView } from './call-view.ts';

type CallChange = {
  /** The call before the change. Null if the call is new. */
  before: CallRow | null;
  call: CallRow;
  /** Caller and callee, if this change reported them. If null, the sealed ones are opened. */
  parties: Parties | null;
};

type EventContext = Pick<TelephonyContext, 'vault' | 'url'>;

/** Only inbound calls are missed. An outbound call that nobody answered was missed by the other side. */
const isMissed = (call: CallRow | null): boolean => call?.direction === 'inbound' && call.outcome === 'missed';

const isVoicemail = (call: CallRow | null): boolean => call?.outcome === 'voicemail';

/** Lists the events that a change causes, in order. */
const listTransitions = ({ before, call }: CallChange): EventType[] => {
  const types: EventType[] = [];
  if (!before) types.push('call.started');
  if (call.outcome !== null && call.outcome !== before?.outcome) types.push('call.ended');
  if (isMissed(call) && !isMissed(before)) types.push('call.missed');
  if (isVoicemail(call) && !isVoicemail(before)) types.push('call.voicemail');
  return types;
};

/** Makes an event with the call as the API lists it. */
export const toCallEvent = async (
  { vault, url }: EventContext,
  queries: Queries,
  type: EventType,
  call: ListedCall,
  known: Parties | null = null,
): Promise<NewEvent> => {
  const { teamId, id: subject } = call;
  // Without the name of the caller: it's known only later, and may have to be erased with the connection it came from.
  const view = toCallView(summarizeCall(call, known ?? (await openParties(vault, call, queries)), null));
  return { teamId, type, subject, data: { ...view, url: `${url}/api/calls/${subject}` } };
};

/** Placeholders for fields that a listed call has but the API doesn't show. */
const PLACEHOLDERS = {
  ...{ recordedAt: null, transcribedAt: null, numberLabel: null, updatedAt: 0, namedAt: null, counts: 1 },
};
const NOT_RETURNED = { calledBackAt: null, calledAgainAt: null };

/** Makes the events that changes to calls cause, with each call as it is after all changes. */
export const toCallEvents = async (
  context: EventContext,
  queries: Queries,
  changes: readonly CallChange[],
): Promise<NewEvent[]> => {
  const news = changes.map((change) => ({ ...change, types: listTransitions(change) }));
  const told = news.filter(({ types }) => types.length > 0);
  const untaken = told.map(({ call }) => call).filter(isUntaken);
  const returns = new Map((untaken.length > 0 ? await listReturns(queries, untaken) : []).map((one) => [one.id, one]));
  const simulated = new Set(
    told.length > 0
      ? await listSimulatedAmong(
          queries,
          told.map(({ call }) => call),
        )
      : [],
  );
  const events: NewEvent[] = [];
  for (const { call, parties, types } of told) {
    const [first, ...others] = types;
    if (!first) continue;
    const isSimulated = { simulated: simulated.has(call.accountId) ? 1 : 0 };
    const listed = { ...call, ...(returns.get(call.id) ?? NOT_RETURNED), ...PLACEHOLDERS, ...isSimulated };
    const event = await toCallEvent(context, queries, first, listed, parties);
    events.push(event, ...others.map((type) => ({ ...event, type })));
  }
  return events;
};
