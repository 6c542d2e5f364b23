import { type Html, html } from '../../platform/index.ts';
import { callsBehind, describeChange, formatCount, formatSeconds, type ShownReport } from '../../reports/index.ts';
import { linkedFigure } from './linked-figure.ts';

/** `href` leads to the rows behind it; null if there are none. */
type Headline = { label: string; value: string; note: string; href: string | null; tone?: 'bad' };

const headlinesOf = (report: ShownReport): Headline[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, unreturned } = report.figures;
  const inbound = calls.inbound.value > 0 ? callsBehind(report, { direction: 'inbound' }) : null;
  const answered =
    outcomes.answered.value > 0 ? callsBehind(report, { direction: 'inbound', outcome: 'answered' }) : null;
  return [
    {
      label: 'Inbound calls',
      value: formatCount(calls.inbound.value),
      note: describeChange(calls.inbound),
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
      : {
          label: 'Unanswered',
          value: `${formatCount(missedPercent)}%`,
          note: missedByHours
            ? `${formatCount(missedByHours.inside)} during business hours, ${formatCount(missedByHours.outside)} outside`
            : 'of inbound calls that have ended',
          href: inbound,
        },
    unreturned.total === 0
      ? { label: 'Calls to return', value: '0', note: 'no one is waiting', href: null }
      : {
          label: 'Calls to return',
          value: formatCount(unreturned.total),
          note: 'waiting for a call back',
          href: '#waiting',
          tone: 'bad',
        },
    secondsToAnswer === null
      ? { label: 'Time to answer', value: '–', note: 'no calls were answered', href: null }
      : {
          label: 'Time to answer',
          value: formatSeconds(secondsToAnswer.median),
          note: `median; 90% within ${formatSeconds(secondsToAnswer.p90)}`,
          href: answered,
        },
    {
      label: 'Talk time',
      value: formatSeconds(talkSeconds.value),
      note: describeChange(talkSeconds, 'seconds'),
      href: talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null,
    },
  ];
};

/** The most important figures. */
export const headlines = (report: ShownReport): Html => html`<dl class="headlines">
${headlinesOf(report).map(
  ({ label, value, note, href, tone }) =>
    html`<div><dt>${label}</dt><dd${tone ? html` class="${tone}"` : ''}>${linkedFigure(label, value, href)} <span class="under">${note}</span></dd></div>
`,
)}</dl>`;
