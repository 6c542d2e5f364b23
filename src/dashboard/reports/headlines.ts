import { type Html, html } from '../../platform/index.ts';
import { callsBehind, describeChange, formatCount, formatSeconds, type ShownReport } from '../../reports/index.ts';
import { linkedFigure } from './linked-figure.ts';

/** `href` leads to the rows behind it; null: there are none. */
type Headline = { label: string; value: string; note: string; href: string | null; tone?: 'bad' };

const headlinesOf = (report: ShownReport): Headline[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, unreturned } = report.figures;
  const inbound = calls.inbound.value > 0 ? callsBehind(report, { direction: 'inbound' }) : null;
  const answered =
    outcomes.answered.value > 0 ? callsBehind(report, { direction: 'inbound', outcome: 'answered' }) : null;
  return [
    { label: 'Calls in', value: formatCount(calls.inbound.value), note: describeChange(calls.inbound), href: inbound },
    {
      label: 'Answered',
      value: formatCount(outcomes.answered.value),
      note: describeChange(outcomes.answered),
      href: answered,
    },
    missedPercent === null
      ? { label: 'Taken by nobody', value: '–', note: 'no call has ended', href: null }
      : {
          label: 'Taken by nobody',
          value: `${formatCount(missedPercent)} %`,
          note: missedByHours
            ? `${formatCount(missedByHours.inside)} in opening hours, ${formatCount(missedByHours.outside)} outside them`
            : 'of the calls that came in and have ended',
          href: inbound,
        },
    unreturned.total === 0
      ? { label: 'Still waiting', value: '0', note: 'nobody has to be called back', href: null }
      : {
          label: 'Still waiting',
          value: formatCount(unreturned.total),
          note: 'for a call back',
          href: '#waiting',
          tone: 'bad',
        },
    secondsToAnswer === null
      ? { label: 'Until answered', value: '–', note: 'nobody was reached', href: null }
      : {
          label: 'Until answered',
          value: formatSeconds(secondsToAnswer.median),
          note: `half of the callers waited no longer, nine of ten no longer than ${formatSeconds(secondsToAnswer.p90)}`,
          href: answered,
        },
    {
      label: 'Time talked',
      value: formatSeconds(talkSeconds.value),
      note: describeChange(talkSeconds, 'seconds'),
      href: talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null,
    },
  ];
};

/** The figures to know first. */
export const headlines = (report: ShownReport): Html => html`<dl class="headlines">
${headlinesOf(report).map(
  ({ label, value, note, href, tone }) =>
    html`<div><dt>${label}</dt><dd${tone ? html` class="${tone}"` : ''}>${linkedFigure(label, value, href)} <span class="under">${note}</span></dd></div>
`,
)}</dl>`;
