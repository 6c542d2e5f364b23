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
  /** Null if it's new. */
  before: CallRow | null;
  call: CallRow;
  /** Only if this change has brought them. Otherwise, they are opened. */
  parties: Parties | null;
};

type Told = Pick<TelephonyContext, 'vault' | 'url'>;

/** An outbound call that nobody answered was missed by somebody else. */
const isMissed = (call: CallRow | null): boolean => call?.direction === 'inbound' && call.outcome === 'missed';

const isVoicemail = (call: CallRow | null): boolean => call?.outcome === 'voicemail';

/** What a change means for the team, in order. */
const listTransitions = ({ before, call }: CallChange): EventType[] => {
  const types: EventType[] = [];
  if (!before) types.push('call.started');
  if (call.outcome !== null && call.outcome !== before?.outcome) types.push('call.ended');
  if (isMissed(call) && !isMissed(before)) types.push('call.missed');
  if (isVoicemail(call) && !isVoicemail(before)) types.push('call.voicemail');
  return types;
};

/** The call as the API lists it. */
export const toCallEvent = async (
  { vault, url }: Told,
  queries: Queries,
  type: EventType,
  call: ListedCall,
  known: Parties | null = null,
): Promise<NewEvent> => {
  const { teamId, id: subject } = call;
  const view = toCallView(summarizeCall(call, known ?? (await openParties(vault, call, queries))));
  return { teamId, type, subject, data: { ...view, url: `${url}/api/calls/${subject}` } };
};

/** What the API doesn't list. */
const NOT_LISTED = { recordedAt: null, numberLabel: null, updatedAt: 0, counts: 1 };
const NOT_RETURNED = { calledBackAt: null, calledAgainAt: null };

/** What changes to calls mean for their teams, with the calls as they are after all of them. */
export const toCallEvents = async (
  context: Told,
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
    const listed = { ...call, ...(returns.get(call.id) ?? NOT_RETURNED), ...NOT_LISTED, ...isSimulated };
    const event = await toCallEvent(context, queries, first, listed, parties);
    events.push(event, ...others.map((type) => ({ ...event, type })));
  }
  return events;
};
