import type { Compared, Figures } from './figures.ts';
import { formatInstant, toOneLine } from './report-title.ts';

export type ReportView = {
  week: string;
  team: string;
  timeZone: string;
  startsAt: number;
  endsAt: number;
  revision: number;
  figures: Figures;
};

/** One line of a report. `share`, from 0 to 1, is how long its bar is; null: it has none. */
export type Row = { label: string; value: string; note: string | null; share: number | null };
export type Section = { title: string; rows: Row[] };

type Unit = 'calls' | 'seconds';

/** Below this in the week before, per cent would say more than is known: from 1 call to 3 are "200 %". */
const FEW: Record<Unit, number> = { calls: 10, seconds: 600 };
/** From here on people think in times, no longer in per cent. */
const MANY_TIMES = 10;
/** A list ends here, in every form alike: mail programs cut off a long mail, and Slack refuses a long message. */
const MOST_ROWS = 25;
const LONGEST_NAME = 120;

const counts = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const formatCount = (count: number): string => counts.format(count);

/** "42 s", "2 min 5 s", "1,234 h 5 min". */
export const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes === 0) return `${whole} s`;
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
};

/** This week against the one before, in words. */
export const describeChange = ({ value, before }: Compared, unit: Unit = 'calls'): string => {
  const [format, less, much] = unit === 'calls' ? [formatCount, 'fewer', 'many'] : [formatSeconds, 'less', 'much'];
  if (before === null) return 'no week before to compare with';
  if (value === before) return `as ${much} as the week before`;
  const direction = value > before ? 'more' : less;
  const than = `the week before (${format(before)})`;
  if (before < FEW[unit]) return `${format(Math.abs(value - before))} ${direction} than ${than}`;
  if (value >= before * MANY_TIMES) return `${formatCount(Math.round(value / before))} times as ${much} as ${than}`;
  const percent = Math.round((Math.abs(value - before) / before) * 100);
  return percent === 0 ? `about as ${much} as ${than}` : `${percent} % ${direction} than ${than}`;
};

const clip = (text: string): string => {
  const letters = [...toOneLine(text)];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : letters.join('');
};

const plain = (label: string, value: string, note: string | null = null): Row => ({ label, value, note, share: null });

/** Rows with bars: the longest is that of the most. */
const barred = (rows: readonly (readonly [label: string, count: number, note: string | null])[]): Row[] => {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return rows.map(([label, count, note]) => ({ label, value: formatCount(count), note, share: count / most }));
};

const counted = (figures: Record<string, number>): Row[] =>
  barred(Object.entries(figures).map(([label, count]) => [label, count, null]));

const compared = (figures: Record<string, Compared>): Row[] =>
  barred(Object.entries(figures).map(([label, figure]) => [label, figure.value, describeChange(figure)]));

const atMost = (rows: Row[], total: number): Row[] => {
  const shown = rows.slice(0, MOST_ROWS);
  return total > shown.length
    ? [...shown, plain('Not listed here', `${formatCount(total - shown.length)} more`)]
    : shown;
};

const STATUSES = new Map([
  ['connected', 'connected'],
  ['degraded', 'connected, with trouble that should pass'],
  ['needs_reconnect', 'must be connected again'],
  ['disconnected', 'not connected'],
]);

const waitingRows = ({ figures: { unreturned }, timeZone }: ReportView): Row[] => [
  plain('Callers still waiting', formatCount(unreturned.total)),
  ...atMost(
    unreturned.oldest.map(({ from, at, outcome }) =>
      plain(from === null ? 'Number withheld' : clip(from), formatInstant(at, timeZone), clip(outcome)),
    ),
    unreturned.total,
  ),
];

const numberRows = ({ numbers }: Figures): Row[] => {
  const rows = numbers.map(({ number, label, calls, answered, missed }) => {
    const name = [label, number].filter((part) => part !== null).map(clip);
    const note = `${formatCount(answered)} answered, ${formatCount(missed)} taken by nobody`;
    return [name.join(', ') || 'Number not known', calls, note] as const;
  });
  return atMost(barred(rows), numbers.length);
};

const integrationRows = ({ figures: { integrations }, timeZone }: ReportView): Row[] =>
  atMost(
    integrations.map(({ provider, name, status, reconnectBefore }) => {
      const due =
        reconnectBefore === null ? '' : `, to be connected again before ${formatInstant(reconnectBefore, timeZone)}`;
      return plain(clip(name), STATUSES.get(status) ?? clip(status), `${clip(provider)}${due}`);
    }),
    integrations.length,
  );

/** The report in words: every form shows these lines, all of them, in this order. What is null has none. */
export const sectionsOf = (report: ReportView): Section[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { answered, missed, abandoned, voicemail, other } = outcomes;
  const ended = { Answered: answered, Missed: missed, 'Hung up before': abandoned, 'Left a message': voicemail };
  const percent = missedPercent === null ? 'no call has ended' : `${formatCount(missedPercent)} %`;
  const hours = missedByHours && { 'In opening hours': missedByHours.inside, 'Outside them': missedByHours.outside };
  const waits = secondsToAnswer && [
    plain('Half of them at most', formatSeconds(secondsToAnswer.median)),
    plain('Nine of ten at most', formatSeconds(secondsToAnswer.p90)),
  ];
  const talked = plain('Time talked', formatSeconds(talkSeconds.value), describeChange(talkSeconds, 'seconds'));
  const { firstTime, repeat, total } = rest.callers;
  const { made, archived, failed } = rest.recordings;
  const refused = plain('Deliveries refused', formatCount(rest.deliveriesRefused));
  const unended = plain('Calls without an end', formatCount(rest.quality.withoutEnd));
  return [
    { title: 'Waiting for a call back', rows: waitingRows(report) },
    { title: 'Calls', rows: [...compared({ 'Came in': calls.inbound, 'Went out': calls.outbound }), talked] },
    {
      title: 'How calls that came in ended',
      rows: [...compared({ ...ended, Other: other }), plain('Taken by nobody', percent)],
    },
    { title: 'Taken by nobody, by opening hours', rows: hours ? counted(hours) : [] },
    { title: 'How long callers waited', rows: waits ?? [plain('Until a person answered', 'nobody was reached')] },
    { title: 'Callers', rows: counted({ 'First-time': firstTime, Repeat: repeat, All: total }) },
    { title: 'Your numbers', rows: numberRows(report.figures) },
    { title: 'Recordings', rows: counted({ Made: made, Archived: archived, Failed: failed }) },
    { title: 'Integrations', rows: integrationRows(report) },
    { title: 'What may be missing', rows: [refused, unended] },
  ].filter(({ rows }) => rows.length > 0);
};
