import { type Html, html } from '../../platform/index.ts';
import { daysOf, formatCount, formatSeconds, type RecentWeeks } from '../../reports/index.ts';
import { barChart } from '../display/bar-chart.ts';
import { card } from '../display/card.ts';
import { timeOf } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { sparkline } from '../display/sparkline.ts';
import type { Overview } from './load-overview.ts';

type Glance = NonNullable<RecentWeeks['finished'][number]['glance']>;

type Figure = {
  label: string;
  of: (week: Glance) => number | null;
  say: (value: number) => string;
  /** The label of the figure's sparkline. */
  line: string;
};

const FIGURES: readonly Figure[] = [
  { label: 'Calls', of: ({ inbound }) => inbound, say: formatCount, line: 'Inbound calls per week' },
  {
    label: 'Answered',
    of: ({ answeredPercent }) => answeredPercent,
    say: (percent) => `${percent}%`,
    line: 'Share of calls answered per week',
  },
  {
    label: 'Calls to return',
    of: ({ waiting }) => waiting,
    say: formatCount,
    line: "Each week's calls that weren't returned",
  },
  {
    label: 'Talk time',
    of: ({ talkSeconds }) => talkSeconds,
    say: formatSeconds,
    line: 'Talk time per week',
  },
];

/** The current week as it was last counted, except that `waiting` is 0 if no caller is waiting now. */
const currentOf = ({ weeks, waiting }: Overview): Glance | null => {
  const glance = weeks.current.counted?.glance ?? null;
  return glance && waiting.callers === 0 ? { ...glance, waiting: 0 } : glance;
};

/** The shown weeks, oldest first. The current week is last. */
const glancesOf = (overview: Overview): (Glance | null)[] => [
  ...overview.weeks.finished.map(({ glance }) => glance),
  currentOf(overview),
];

const tile = ({ label, of, say, line }: Figure, overview: Overview): Html => {
  const values = glancesOf(overview).map((week) => week && of(week));
  const [before, now] = values.slice(-2);
  const isBad = label === 'Calls to return' && Boolean(now);
  return html`<div class="card key-figure"><dt>${label}</dt><dd${isBad && html` class="bad"`}><strong>${typeof now === 'number' ? say(now) : '–'}</strong>
${typeof before === 'number' && html`<span class="under">${say(before)} last week</span>`}
${sparkline({ label: line, values, say, tone: isBad ? 'bad' : 'none' })}</dd></div>
`;
};

/** How current the figures are, or why there are none. */
export const figuresNote = ({ current: { counted, isCounting, isBehind } }: RecentWeeks, region: Region): Html => {
  if (counted)
    return html`so far, as of ${timeOf(counted.asOf, region)}${isBehind && html`. Newer calls are being counted: <a href="/">reload</a> in a moment`}`;
  return isCounting
    ? html`is being counted. <a href="/">Reload</a> in a moment`
    : html`can't be counted right now. Patchbay tries again in a minute`;
};

export const figuresSection = (overview: Overview): Html =>
  html`<dl class="key-figures">${FIGURES.map((figure) => tile(figure, overview))}</dl>`;

/** The Monday that a week begins with: "Nov 9". */
const DAY = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric' });
const firstDayOf = (week: string): string => DAY.format(Date.parse(daysOf(week).first));

export const weeksChart = (overview: Overview): Html => {
  const { finished, current } = overview.weeks;
  const ids = [...finished.map(({ week }) => week), current.week];
  const bars = glancesOf(overview).map((glance, index) => {
    const day = firstDayOf(ids[index] ?? current.week);
    const isCurrent = index === ids.length - 1;
    const counts = { answered: glance?.answered ?? 0, unanswered: glance?.unanswered ?? 0 };
    return { name: isCurrent ? 'Now' : day, title: `Week of ${day}${isCurrent ? ' so far' : ''}`, counts };
  });
  return card({
    title: 'Calls per week',
    more: { href: '/reports', words: 'All reports' },
    content: barChart({
      label: 'Inbound calls per week',
      parts: { answered: 'answered', unanswered: 'unanswered' },
      bars,
    }),
  });
};
