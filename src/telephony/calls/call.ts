import type { CallEvent, Direction, EndReason } from '../contract/call-event.ts';

type Facts = { direction: Direction };

export type CallOutcome =
  | 'answered'
  | 'missed'
  | 'abandoned'
  | 'voicemail'
  | 'busy'
  | 'rejected'
  | 'canceled'
  | 'failed'
  | 'unknown';

/** Whether an inbound call ended unanswered, so that the caller may be waiting for a call back. */
export const isUntaken = ({ direction, outcome }: { direction: Direction; outcome: CallOutcome | null }): boolean =>
  direction === 'inbound' && outcome !== null && outcome !== 'answered' && outcome !== 'unknown';

/** The state of a call, from all known facts. */
export type CallState = {
  status: 'ringing' | 'in_progress' | 'ended';
  /** Null until the call ends. */
  outcome: CallOutcome | null;
  /** The keys of the facts that decided the outcome. */
  evidence: readonly string[];
  startedAt: number;
  answeredAt: number | null;
  endedAt: number | null;
  talkSeconds: number | null;
};

type Verdict = { outcome: CallOutcome; because: readonly CallEvent[] };

const isForwardEnd = ({ kind }: CallEvent): boolean => kind === 'forward_ended';

/**
 * Picks the events that prove that a person answered. `completed` on an inbound call proves nothing, because it's also
 * set if nobody answered.
 */
const humanEvents = (events: readonly CallEvent[], { direction }: Facts): CallEvent[] =>
  direction === 'inbound'
    ? events.filter((event) => event.kind === 'bridged' || (isForwardEnd(event) && event.reachedHuman === true))
    : events.filter(({ kind, legId }) => kind === 'answered' && legId === null);

/** Decides the outcome of an inbound call that ended unanswered. */
const judgeUntaken = (events: readonly CallEvent[], ends: readonly CallEvent[]): Verdict => {
  const messages = events.filter(({ kind }) => kind === 'voicemail');
  if (messages.length > 0) return { outcome: 'voicemail', because: messages };
  const forwards = events.filter(isForwardEnd);
  // The caller hung up while the phone rang.
  const givenUp = [...forwards, ...ends].filter(({ reason }) => reason === 'canceled');
  const tried = forwards.filter(({ reason }) => reason !== 'canceled');
  if (givenUp.length > 0 && tried.length === 0) return { outcome: 'abandoned', because: givenUp };
  if (tried.length > 0) return { outcome: 'missed', because: tried };
  const failed = ends.filter(({ reason }) => reason === 'failed' || reason === 'rejected' || reason === 'busy');
  const [worst] = failed;
  if (worst?.reason === 'failed' || worst?.reason === 'rejected' || worst?.reason === 'busy')
    return { outcome: worst.reason, because: failed };
  return ends.every(({ reason }) => reason === 'unknown')
    ? { outcome: 'unknown', because: ends }
    : { outcome: 'missed', because: ends };
};

const OUTBOUND: Readonly<Record<Exclude<EndReason, 'completed'>, CallOutcome>> = {
  no_answer: 'missed',
  busy: 'busy',
  rejected: 'rejected',
  canceled: 'canceled',
  failed: 'failed',
  unknown: 'unknown',
};

/**
 * Decides the outcome of an outbound call. A reported end that says more than `completed` wins, whichever came last.
 */
const judgeOutbound = (ends: readonly CallEvent[]): Verdict => {
  for (const { reason } of ends)
    if (reason && reason !== 'completed' && reason !== 'unknown')
      return { outcome: OUTBOUND[reason], because: ends.filter((end) => end.reason === reason) };
  const talked = ends.filter(({ reason, talkSeconds = 0 }) => reason === 'completed' && talkSeconds > 0);
  return talked.length > 0 ? { outcome: 'answered', because: talked } : { outcome: 'unknown', because: ends };
};

const judge = (events: readonly CallEvent[], facts: Facts, ends: readonly CallEvent[]): Verdict => {
  const human = humanEvents(events, facts);
  if (human.length > 0) return { outcome: 'answered', because: human };
  return facts.direction === 'inbound' ? judgeUntaken(events, ends) : judgeOutbound(ends);
};

const earliest = (instants: readonly number[]): number | null => (instants.length > 0 ? Math.min(...instants) : null);

/** Picks the events with the provider's own time, if there are any. Our time is only that of receipt. */
const surest = (events: readonly CallEvent[]): readonly CallEvent[] => {
  const told = events.filter(({ timeFrom }) => timeFrom === 'provider');
  return told.length > 0 ? told : events;
};

/** Returns when the person picked up: as reported for that leg, or else the end minus the talk time. */
const answeredAt = (events: readonly CallEvent[], human: readonly CallEvent[]): number | null =>
  earliest(
    surest(human).map((event) => {
      if (event.kind !== 'forward_ended') return event.occurredAt;
      const pickUp = events.filter(({ kind, legId }) => kind === 'forwarded' && legId === event.legId);
      return (
        earliest(surest(pickUp).map(({ occurredAt }) => occurredAt)) ??
        event.occurredAt - (event.talkSeconds ?? 0) * 1_000
      );
    }),
  );

/**
 * Moves a pickup that is before the start of the call to that start. Two clocks and a rounded duration can make it look
 * so.
 */
const clampToStart = (events: readonly CallEvent[], pickedUpAt: number | null): number | null => {
  const begun = events.filter(({ kind }) => kind === 'initiated' || kind === 'ringing');
  const earliestStart = earliest(begun.map(({ occurredAt }) => occurredAt));
  return pickedUpAt === null || earliestStart === null ? pickedUpAt : Math.max(earliestStart, pickedUpAt);
};

const longestTold = (events: readonly CallEvent[]): number | null => {
  const told = events.flatMap(({ talkSeconds }) => talkSeconds ?? []);
  return told.length > 0 ? Math.max(...told) : null;
};

/**
 * Returns how long the two talked: as reported, or else from when they were connected until that leg, or the call,
 * ended.
 */
const talkSecondsOf = (events: readonly CallEvent[], human: readonly CallEvent[]): number | null => {
  if (human.length === 0) return null;
  const ends = events.filter(({ kind }) => kind === 'forward_ended' || kind === 'ended');
  const endsOf = ({ legId, kind }: CallEvent): CallEvent[] =>
    ends.filter((end) => end.legId === legId && end.kind === (kind === 'answered' ? 'ended' : 'forward_ended'));
  const told = longestTold(human) ?? longestTold(human.flatMap(endsOf));
  if (told !== null) return told;
  const spans = human.map((event) => {
    const own = endsOf(event);
    const end = earliest((own.length > 0 ? own : ends).map(({ occurredAt }) => occurredAt));
    return end === null ? 0 : Math.max(0, Math.round((end - event.occurredAt) / 1_000));
  });
  return Math.max(...spans);
};

/** Sorts events by time, then by key, so that the same events are always in the same order. */
const inOrder = (events: readonly CallEvent[]): CallEvent[] => {
  const once = new Map(events.map((event) => [event.key, event]));
  return [...once.values()].sort(
    (left, right) => left.occurredAt - right.occurredAt || (left.key < right.key ? -1 : 1),
  );
};

/**
 * Assembles a call from all its events. The call is rebuilt with each new event, so the order and repetitions of events
 * make no difference. Events are only added, never removed.
 */
export const assembleCall = (facts: Facts, told: readonly CallEvent[]): CallState => {
  const events = inOrder(told);
  const ends = events.filter(({ kind }) => kind === 'ended');
  const human = humanEvents(events, facts);
  const pickedUpAt = clampToStart(events, answeredAt(events, human));
  const startedAt = Math.min(events[0]?.occurredAt ?? 0, pickedUpAt ?? Number.POSITIVE_INFINITY);
  const endedAt = ends.length > 0 ? Math.max(...surest(ends).map(({ occurredAt }) => occurredAt)) : null;
  const verdict = ends.length > 0 ? judge(events, facts, ends) : null;
  const underWay = human.length > 0 || events.some(({ kind }) => kind === 'answered' || kind === 'forwarded');
  return {
    status: ends.length > 0 ? 'ended' : underWay ? 'in_progress' : 'ringing',
    outcome: verdict?.outcome ?? null,
    evidence: verdict?.because.map(({ key }) => key) ?? [],
    startedAt,
    answeredAt: pickedUpAt,
    endedAt,
    talkSeconds: talkSecondsOf(events, human),
  };
};
