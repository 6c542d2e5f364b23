import { type BusinessHours, DAYS } from '../../../teams/index.ts';

type Day = (typeof DAYS)[number];
type Span = { opens: string; closes: string };

/** A day's opening times as the form has them: text, possibly incomplete. */
export type DayForm = { day: Day; name: string; closed: boolean; spans: readonly Span[] };

const SHOWN_SPANS = 2;
const MOST_SPANS = 6;
const EMPTY: Span = { opens: '', closes: '' };
const NINE_TO_FIVE: readonly Span[] = [{ opens: '09:00', closes: '17:00' }];
const WEEKEND: readonly Day[] = ['saturday', 'sunday'];

const capitalize = (day: Day): string => `${day.charAt(0).toUpperCase()}${day.slice(1)}`;

const isEmpty = ({ opens, closes }: Span): boolean => opens === '' && closes === '';

/** Converts a span for time inputs, which end at 23:59. The end of the day is shown as 00:00. */
const toInput = ({ opens, closes }: Span): Span => ({ opens, closes: closes === '24:00' ? '00:00' : closes });
const fromInput = ({ opens, closes }: Span): Span => ({ opens, closes: closes === '00:00' ? '24:00' : closes });

const fill = (spans: readonly Span[]): readonly Span[] =>
  spans.length >= SHOWN_SPANS ? spans : [...spans, ...Array<Span>(SHOWN_SPANS - spans.length).fill(EMPTY)];

/** The hours that the form suggests to a team without any. */
const suggest = (day: Day): readonly Span[] => (WEEKEND.includes(day) ? [] : NINE_TO_FIVE);

export const toHoursForm = (hours: BusinessHours | null): DayForm[] =>
  DAYS.map((day) => {
    const spans = hours?.[day] ?? suggest(day);
    return { day, name: capitalize(day), closed: spans.length === 0, spans: fill(spans.map(toInput)) };
  });

export const inputName = (day: Day, what: 'closed' | 'opens' | 'closes', index = 0): string =>
  what === 'closed' ? `${day}-closed` : `${day}-${what}-${index + 1}`;

export const readHoursForm = (body: Readonly<Record<string, string>>): DayForm[] =>
  DAYS.map((day) => {
    const spans = Array.from({ length: MOST_SPANS }, (_, index) => ({
      opens: body[inputName(day, 'opens', index)] ?? '',
      closes: body[inputName(day, 'closes', index)] ?? '',
    }));
    const closed = body[inputName(day, 'closed')] !== undefined;
    return { day, name: capitalize(day), closed, spans: fill(spans.filter((span) => !isEmpty(span))) };
  });

/** Copies a day's times to all days. Returns the days unchanged if `from` isn't a day. */
export const copyToAllDays = (days: readonly DayForm[], from: string): readonly DayForm[] => {
  const source = days.find(({ day }) => day === from);
  return source ? days.map((day) => ({ ...day, closed: source.closed, spans: source.spans })) : days;
};

/** The spans in which the team is open. A day without times is closed. */
const openSpans = ({ closed, spans }: DayForm): readonly Span[] =>
  closed ? [] : spans.filter((span) => !isEmpty(span)).map(fromInput);

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/;

const findFlaw = (spans: readonly Span[]): string | null => {
  if (!spans.flatMap(({ opens, closes }) => [opens, closes]).every((time) => TIME.test(time)))
    return 'enter an opening and a closing time, or mark the day as closed.';
  // Fixed-width times compare as text.
  if (spans.some(({ opens, closes }) => closes <= opens)) return 'closing time must be after opening time.';
  return spans.some(({ opens }, index) => index > 0 && opens <= (spans[index - 1]?.closes ?? ''))
    ? 'the second opening time must be after the first closing time.'
    : null;
};

/** What is wrong with a day's times, by day, in words. */
export type HourFlaws = ReadonlyMap<Day, string>;

export const findHourFlaws = (days: readonly DayForm[]): HourFlaws =>
  new Map(
    days.flatMap((day) => {
      const flaw = findFlaw(openSpans(day));
      return flaw === null ? [] : [[day.day, `${day.name}: ${flaw}`] as const];
    }),
  );

type Hours = Record<Day, Span[]>;

export const toBusinessHours = (days: readonly DayForm[]): Hours =>
  Object.fromEntries(days.map((day) => [day.day, openSpans(day)])) as Hours;
