import type { ReportView } from '../figures/view-report.ts';
import { describeChange, formatCount, formatSeconds } from './describe-change.ts';
import { callsBehind } from './row.ts';

/** `href` leads to the rows behind it; null if there are none. */
export type Headline = { label: string; value: string; note: string | null; href: string | null; isBad?: boolean };

const formatPeople = (total: number): string => `${formatCount(total)} ${total === 1 ? 'person' : 'people'}`;

/** Several notes about one figure. Null if there are none. */
const joinNotes = (...notes: (string | null)[]): string | null => notes.filter(Boolean).join('; ') || null;

/** The most important figures, for every format that begins with them. */
export const headlinesOf = (report: ReportView): Headline[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { unreturned, callers } = rest;
  const inbound = calls.inbound.value > 0 ? callsBehind(report, { direction: 'inbound' }) : null;
  const answered =
    outcomes.answered.value > 0 ? callsBehind(report, { direction: 'inbound', outcome: 'answered' }) : null;
  const talked = talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null;
  const missedNote = missedByHours
    ? `${formatCount(missedByHours.inside)} during business hours, ${formatCount(missedByHours.outside)} outside`
    : 'of inbound calls that have ended';
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
    missedPercent === null
      ? { label: 'Unanswered', value: '–', note: 'no calls have ended', href: null }
      : { label: 'Unanswered', value: `${formatCount(missedPercent)}%`, note: missedNote, href: inbound },
    unreturned.total === 0
      ? { label: 'Calls to return', value: '0', note: 'no one is waiting', href: null }
      : {
          ...{ label: 'Calls to return', value: formatCount(unreturned.total), note: 'waiting for a call back' },
          ...{ href: '#waiting', isBad: true },
        },
    secondsToAnswer === null
      ? { label: 'Median wait', value: '–', note: 'no calls were answered', href: null }
      : {
          label: 'Median wait',
          value: formatSeconds(secondsToAnswer.median),
          note: `90% within ${formatSeconds(secondsToAnswer.p90)}`,
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

/** The figures worth knowing before opening anything. */
export const summarizeReport = ({ figures: { calls, callers, missedPercent, unreturned } }: ReportView): string => {
  const { value: inbound } = calls.inbound;
  const people = callers.total > 0 ? ` from ${formatPeople(callers.total)}` : '';
  return [
    `${formatCount(inbound)} inbound ${inbound === 1 ? 'call' : 'calls'}${people}`,
    ...(missedPercent === null ? [] : [`${formatCount(missedPercent)}% unanswered`]),
    `${formatCount(unreturned.total)} to return`,
  ].join(' · ');
};
