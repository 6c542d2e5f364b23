import type { Figures } from './figures.ts';

/** The few figures of a week that can be taken in at a glance. */
export type WeekGlance = {
  inbound: number;
  /** How many of the ended inbound calls were answered. */
  answered: number;
  unanswered: number;
  /** Null if no inbound call has ended. */
  answeredPercent: number | null;
  /** How many calls are waiting to be returned, and when the oldest of them came in. */
  waiting: number;
  waitingSince: number | null;
  talkSeconds: number;
};

export const toWeekGlance = ({ calls, outcomes, unreturned, talkSeconds }: Figures): WeekGlance => {
  const answered = outcomes.answered.value;
  const ended = Object.values(outcomes).reduce((total, { value }) => total + value, 0);
  const [oldest] = unreturned.oldest;
  return {
    inbound: calls.inbound.value,
    answered,
    unanswered: ended - answered,
    answeredPercent: ended === 0 ? null : Math.round((answered / ended) * 100),
    waiting: unreturned.total,
    waitingSince: oldest ? Date.parse(oldest.at) : null,
    talkSeconds: talkSeconds.value,
  };
};
