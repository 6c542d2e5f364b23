import type { CallEvent, CallFacts } from './call-event.ts';

export type Outcome =
  | 'answered'
  | 'missed'
  | 'abandoned'
  | 'voicemail'
  | 'busy'
  | 'rejected'
  | 'canceled'
  | 'failed'
  | 'unknown';

/** What all facts that are known of a call add up to. */
export type CallState = {
  status: 'ringing' | 'in_progress' | 'ended';
  /** Null until it has ended. */
  outcome: Outcome | null;
  /** The keys of the facts that the outcome rests on. */
  evidence: readonly string[];
  startedAt: number;
  answeredAt: number | null;
  endedAt: number | null;
  talkSeconds: number | null;
};

type Verdict = { outcome: Outcome; because: readonly CallEvent[] };

const isForwardEnd = ({ kind }: CallEvent): boolean => kind === 'forward_ended';

/** A person took it. That the call itself is `completed` says nothing: it is when nobody did, too. */
const humanEvents = (events: readonly CallEvent[], { direction }: Pick<CallFacts, 'direction'>): CallEvent[] =>
  direction === 'inbound'
    ? events.filter((event) => isForwardEnd(event) && event.reachedHuman === true)
    : events.filter(({ kind, legId }) => kind === 'answered' && legId === null);

/** Nobody took an inbound call that has ended. */
const judgeUntaken = (events: readonly CallEvent[], ends: readonly CallEvent[]): Verdict => {
  const messages = events.filter(({ kind }) => kind === 'voicemail');
  if (messages.length > 0) return { outcome: 'voicemail', because: messages };
  const forwards = events.filter(isForwardEnd);
  // The caller gave up while it rang.
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

const OUTBOUND: Readonly<Record<NonNullable<CallEvent['reason']>, Outcome>> = {
  completed: 'answered',
  no_answer: 'missed',
  busy: 'busy',
  rejected: 'rejected',
  canceled: 'canceled',
  failed: 'failed',
  unknown: 'unknown',
};

/** Of several ends that were told, one that says more than `completed` wins, whichever came last. */
const judgeOutbound = (ends: readonly CallEvent[]): Verdict => {
  const telling = ends.filter(({ reason }) => reason !== 'completed' && reason !== 'unknown');
  const [first] = telling.length > 0 ? telling : ends;
  return { outcome: OUTBOUND[first?.reason ?? 'unknown'], because: telling.length > 0 ? telling : ends };
};

const judge = (
  events: readonly CallEvent[],
  facts: Pick<CallFacts, 'direction'>,
  ends: readonly CallEvent[],
): Verdict => {
  const human = humanEvents(events, facts);
  if (human.length > 0) return { outcome: 'answered', because: human };
  return facts.direction === 'inbound' ? judgeUntaken(events, ends) : judgeOutbound(ends);
};

const earliest = (instants: readonly number[]): number | null => (instants.length > 0 ? Math.min(...instants) : null);

/** When the person who took it picked up: as told of that leg, else from the end and the time they talked. */
const answeredAt = (events: readonly CallEvent[], human: readonly CallEvent[]): number | null =>
  earliest(
    human.map((event) => {
      if (event.kind === 'answered') return event.occurredAt;
      const pickUp = events.filter(({ kind, legId }) => kind === 'forwarded' && legId === event.legId);
      return (
        earliest(pickUp.map(({ occurredAt }) => occurredAt)) ?? event.occurredAt - (event.talkSeconds ?? 0) * 1_000
      );
    }),
  );

/** By time and then by key, so that the same facts are always seen in the same order. */
const inOrder = (events: readonly CallEvent[]): CallEvent[] => {
  const once = new Map(events.map((event) => [event.key, event]));
  return [...once.values()].sort(
    (left, right) => left.occurredAt - right.occurredAt || (left.key < right.key ? -1 : 1),
  );
};

/**
 * A call from all its facts. It is put together anew with each fact that arrives, so that neither order nor repetition
 * can make a difference. What was once true stays: facts are added and never taken away.
 */
export const assembleCall = (facts: Pick<CallFacts, 'direction'>, told: readonly CallEvent[]): CallState => {
  const events = inOrder(told);
  const ends = events.filter(({ kind }) => kind === 'ended');
  const human = humanEvents(events, facts);
  const startedAt = events[0]?.occurredAt ?? 0;
  const endedAt = ends.length > 0 ? Math.max(...ends.map(({ occurredAt }) => occurredAt)) : null;
  const verdict = ends.length > 0 ? judge(events, facts, ends) : null;
  const underWay = human.length > 0 || events.some(({ kind }) => kind === 'answered' || kind === 'forwarded');
  const talked = [...human, ...(facts.direction === 'outbound' ? ends : [])].map(({ talkSeconds }) => talkSeconds ?? 0);
  return {
    status: ends.length > 0 ? 'ended' : underWay ? 'in_progress' : 'ringing',
    outcome: verdict?.outcome ?? null,
    evidence: verdict?.because.map(({ key }) => key) ?? [],
    startedAt,
    answeredAt: answeredAt(events, human),
    endedAt,
    talkSeconds: human.length > 0 ? Math.max(0, ...talked) : null,
  };
};
