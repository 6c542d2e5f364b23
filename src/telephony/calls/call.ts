import type { CallFact, Direction, EndReason } from '../contract/call-fact.ts';

type Directed = { direction: Direction };

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

type Verdict = { outcome: CallOutcome; because: readonly CallFact[] };

const isForwardEnd = ({ kind }: CallFact): boolean => kind === 'forward_ended';

/**
 * Returns the facts that show that a person answered. `completed` on the call itself doesn't, because providers also
 * send it if nobody answered.
 */
const humanFacts = (facts: readonly CallFact[], { direction }: Directed): CallFact[] =>
  direction === 'inbound'
    ? facts.filter((fact) => fact.kind === 'bridged' || (isForwardEnd(fact) && fact.reachedHuman === true))
    : facts.filter(({ kind, legId }) => kind === 'answered' && legId === null);

/** Judges an inbound call that ended unanswered. */
const judgeUntaken = (facts: readonly CallFact[], ends: readonly CallFact[]): Verdict => {
  const messages = facts.filter(({ kind }) => kind === 'voicemail');
  if (messages.length > 0) return { outcome: 'voicemail', because: messages };
  const forwards = facts.filter(isForwardEnd);
  // `canceled`: the caller hung up while the phone was ringing.
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

/** Of several reported ends, one that says more than `completed` wins, whichever came last. */
const judgeOutbound = (ends: readonly CallFact[]): Verdict => {
  for (const { reason } of ends)
    if (reason && reason !== 'completed' && reason !== 'unknown')
      return { outcome: OUTBOUND[reason], because: ends.filter((end) => end.reason === reason) };
  const talked = ends.filter(({ reason, talkSeconds = 0 }) => reason === 'completed' && talkSeconds > 0);
  return talked.length > 0 ? { outcome: 'answered', because: talked } : { outcome: 'unknown', because: ends };
};

const judge = (facts: readonly CallFact[], call: Directed, ends: readonly CallFact[]): Verdict => {
  const human = humanFacts(facts, call);
  if (human.length > 0) return { outcome: 'answered', because: human };
  return call.direction === 'inbound' ? judgeUntaken(facts, ends) : judgeOutbound(ends);
};

const earliest = (instants: readonly number[]): number | null => (instants.length > 0 ? Math.min(...instants) : null);

/**
 * Returns only the facts with the provider's own time, or all facts if there are none. For other facts, only the time
 * of receipt is known.
 */
const surest = (facts: readonly CallFact[]): readonly CallFact[] => {
  const told = facts.filter(({ timeFrom }) => timeFrom === 'provider');
  return told.length > 0 ? told : facts;
};

/** When the person picked up: as reported for that leg, else the end minus the talk time. */
const answeredAt = (facts: readonly CallFact[], human: readonly CallFact[]): number | null =>
  earliest(
    surest(human).map((fact) => {
      if (fact.kind !== 'forward_ended') return fact.occurredAt;
      const pickUp = facts.filter(({ kind, legId }) => kind === 'forwarded' && legId === fact.legId);
      return (
        earliest(surest(pickUp).map(({ occurredAt }) => occurredAt)) ??
        fact.occurredAt - (fact.talkSeconds ?? 0) * 1_000
      );
    }),
  );

/** Returns the start if the call seems to be picked up before it. Clocks differ, and durations are rounded. */
const clampToStart = (facts: readonly CallFact[], pickedUpAt: number | null): number | null => {
  const begun = facts.filter(({ kind }) => kind === 'initiated' || kind === 'ringing');
  const earliestStart = earliest(begun.map(({ occurredAt }) => occurredAt));
  return pickedUpAt === null || earliestStart === null ? pickedUpAt : Math.max(earliestStart, pickedUpAt);
};

const longestTold = (facts: readonly CallFact[]): number | null => {
  const told = facts.flatMap(({ talkSeconds }) => talkSeconds ?? []);
  return told.length > 0 ? Math.max(...told) : null;
};

/** How long they talked: as reported, else from when they were connected until that leg, or the call, ended. */
const talkSecondsOf = (facts: readonly CallFact[], human: readonly CallFact[]): number | null => {
  if (human.length === 0) return null;
  const ends = facts.filter(({ kind }) => kind === 'forward_ended' || kind === 'ended');
  const endsOf = ({ legId, kind }: CallFact): CallFact[] =>
    ends.filter((end) => end.legId === legId && end.kind === (kind === 'answered' ? 'ended' : 'forward_ended'));
  const told = longestTold(human) ?? longestTold(human.flatMap(endsOf));
  if (told !== null) return told;
  const spans = human.map((fact) => {
    const own = endsOf(fact);
    const end = earliest((own.length > 0 ? own : ends).map(({ occurredAt }) => occurredAt));
    return end === null ? 0 : Math.max(0, Math.round((end - fact.occurredAt) / 1_000));
  });
  return Math.max(...spans);
};

/**
 * Drops repeated facts and sorts the others by time, then by key, so that the same facts are always in the same order.
 */
const inOrder = (facts: readonly CallFact[]): CallFact[] => {
  const once = new Map(facts.map((fact) => [fact.key, fact]));
  return [...once.values()].sort(
    (left, right) => left.occurredAt - right.occurredAt || (left.key < right.key ? -1 : 1),
  );
};

/**
 * Assembles a call from all its facts. The call is rebuilt with each new fact, so the order and repetitions of facts
 * make no difference. Facts are only added, never removed.
 */
export const assembleCall = (call: Directed, told: readonly CallFact[]): CallState => {
  const facts = inOrder(told);
  const ends = facts.filter(({ kind }) => kind === 'ended');
  const human = humanFacts(facts, call);
  const pickedUpAt = clampToStart(facts, answeredAt(facts, human));
  const startedAt = Math.min(facts[0]?.occurredAt ?? 0, pickedUpAt ?? Number.POSITIVE_INFINITY);
  const endedAt = ends.length > 0 ? Math.max(...surest(ends).map(({ occurredAt }) => occurredAt)) : null;
  const verdict = ends.length > 0 ? judge(facts, call, ends) : null;
  const underWay = human.length > 0 || facts.some(({ kind }) => kind === 'answered' || kind === 'forwarded');
  return {
    status: ends.length > 0 ? 'ended' : underWay ? 'in_progress' : 'ringing',
    outcome: verdict?.outcome ?? null,
    evidence: verdict?.because.map(({ key }) => key) ?? [],
    startedAt,
    answeredAt: pickedUpAt,
    endedAt,
    talkSeconds: talkSecondsOf(facts, human),
  };
};
