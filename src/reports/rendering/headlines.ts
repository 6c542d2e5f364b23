import type { ReportView } from '../figures/view-report.ts';
import { describeChange, formatCount, formatSeconds } from './describe-change.ts';
import { callsBehind } from './row.ts';
import { unansweredOf } from './unanswered.ts';

/** A figure with its label. `href` leads to the calls behind the figure, and is null if there are none. */
export type Headline = { label: string; value: string; note: string | null; href: string | null; isBad?: boolean };

const formatPeople = (total: number): string => `${formatCount(total)} ${total === 1 ? 'person' : 'people'}`;

/** Joins several notes about one figure. Null if there are none. */
const joinNotes = (...notes: (string | null)[]): string | null => notes.filter(Boolean).join('; ') || null;

/** The most important figures, for every format that starts with them. */
export const headlinesOf = (report: ReportView): Headline[] => {
  const { calls, outcomes, missedByHours, secondsToAnswer, talkSeconds, unreturned, callers } = report.figures;
  const inbound = calls.inbound.value > 0 ? callsBehind(report, { direction: 'inbound' }) : null;
  const answered =
    outcomes.answered.value > 0 ? callsBehind(report, { direction: 'inbound', outcome: 'answered' }) : null;
  const talked = talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null;
  const unanswered = unansweredOf(report.figures);
  const byHours =
    missedByHours &&
    `${formatCount(missedByHours.inside)} during business hours, ${formatCount(missedByHours.outside)} outside`;
  const people = callers.total > 0 ? `from ${formatPeople(callers.total)}` : null;
  return [
    {
      label: 'Inbound calls',
      value: formatCount(calls.inbound.value),
      note: joinNotes(people, describeChange(calls.inbound)),
      href: inbound,
    },
    {
      label: 'Answered',
      value: formatCount(outcomes.answered.value),
      note: describeChange(outcomes.answered),
      href: answered,
    },
    unanswered === null
      ? { label: 'Unanswered', value: '–', note: 'no calls have ended', href: null }
      : {
          label: 'Unanswered',
          value: formatCount(unanswered.calls),
          note: joinNotes(unanswered.share, byHours),
          href: unanswered.calls > 0 ? inbound : null,
        },
    unreturned.total === 0
      ? { label: 'Calls to return', value: '0', note: 'no one is waiting', href: null }
      : {
          ...{ label: 'Calls to return', value: formatCount(unreturned.total), note: 'waiting for a call back' },
          ...{ href: '#waiting', isBad: true },
        },
    secondsToAnswer === null
      ? { label: 'Typical wait', value: '–', note: 'no calls were answered', href: null }
      : {
          label: 'Typical wait',
          value: formatSeconds(secondsToAnswer.median),
          note: `9 of 10 waited at most ${formatSeconds(secondsToAnswer.p90)}`,
          href: answered,
        },
    {
      label: 'Talk time',
      value: formatSeconds(talkSeconds.value),
      note: describeChange(talkSeconds, 'seconds'),
      href: talked,
    },
  ];
};

/** The most important figures in one sentence, for previews of a message. */
export const summarizeReport = ({ figures }: ReportView): string => {
  const { calls, callers, unreturned } = figures;
  const { value: inbound } = calls.inbound;
  const unanswered = unansweredOf(figures);
  const people = callers.total > 0 ? ` from ${formatPeople(callers.total)}` : '';
  return [
    `${formatCount(inbound)} inbound ${inbound === 1 ? 'call' : 'calls'}${people}`,
    ...(unanswered === null ? [] : [`${formatCount(unanswered.calls)} unanswered`]),
    `${formatCount(unreturned.total)} to return`,
  ].join(' · ');
};
