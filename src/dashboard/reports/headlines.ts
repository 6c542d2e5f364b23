import { type Html, html } from '../../platform/index.ts';
import { callsBehind, describeChange, formatCount, formatSeconds, type ShownReport } from '../../reports/index.ts';
import { linkedFigure } from './section-sheet.ts';

/** `href` leads to the rows behind it; null if there are none. */
type Headline = readonly [label: string, value: string, note: string | null, href: string | null, tone?: 'bad'];

const fromCallers = (total: number): string => `from ${formatCount(total)} ${total === 1 ? 'person' : 'people'}`;

/** Several notes about one figure. Null if there are none. */
const joinNotes = (...notes: (string | null)[]): string | null => notes.filter(Boolean).join('; ') || null;

const headlinesOf = (report: ShownReport): Headline[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { unreturned, callers } = rest;
  const inbound = calls.inbound.value > 0 ? callsBehind(report, { direction: 'inbound' }) : null;
  const answered =
    outcomes.answered.value > 0 ? callsBehind(report, { direction: 'inbound', outcome: 'answered' }) : null;
  const talked = talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null;
  const missedNote = missedByHours
    ? `${formatCount(missedByHours.inside)} during business hours, ${formatCount(missedByHours.outside)} outside`
    : 'of inbound calls that have ended';
  return [
    [
      'Inbound calls',
      formatCount(calls.inbound.value),
      joinNotes(callers.total > 0 ? fromCallers(callers.total) : null, describeChange(calls.inbound)),
      inbound,
    ],
    ['Answered', formatCount(outcomes.answered.value), describeChange(outcomes.answered), answered],
    missedPercent === null
      ? ['Unanswered', '–', 'no calls have ended', null]
      : ['Unanswered', `${formatCount(missedPercent)}%`, missedNote, inbound],
    unreturned.total === 0
      ? ['Calls to return', '0', 'no one is waiting', null]
      : ['Calls to return', formatCount(unreturned.total), 'waiting for a call back', '#waiting', 'bad'],
    secondsToAnswer === null
      ? ['Median wait', '–', 'no calls were answered', null]
      : [
          'Median wait',
          formatSeconds(secondsToAnswer.median),
          `90% within ${formatSeconds(secondsToAnswer.p90)}`,
          answered,
        ],
    ['Talk time', formatSeconds(talkSeconds.value), describeChange(talkSeconds, 'seconds'), talked],
  ];
};

/** The most important figures. */
export const headlines = (report: ShownReport): Html => html`<dl class="headlines">
${headlinesOf(report).map(
  ([label, value, note, href, tone]) =>
    html`<div><dt>${label}</dt><dd${tone && html` class="${tone}"`}>${linkedFigure(label, value, href)}${note !== null && html` <span class="under">${note}</span>`}</dd></div>
`,
)}</dl>`;
