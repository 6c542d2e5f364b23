import { type BusinessHours, DAYS } from '../../../teams/index.ts';

type Day = (typeof DAYS)[number];
type Span = { opens: string; closes: string };

/** The opening times as they are in the form: text, complete or not. */
export type DayForm = { day: Day; name: string; closed: boolean; spans: readonly Span[] };

const SHOWN_SPANS = 2;
const MOST_SPANS = 6;
const EMPTY: Span = { opens: '', closes: '' };

const capitalize = (day: Day): string => `${day.charAt(0).toUpperCase()}${day.slice(1)}`;

const isEmpty = ({ opens, closes }: Span): boolean => opens === '' && closes === '';

/** A time input ends at 23:59, so the end of the day is shown as the 00:00 that follows. */
const toInput = ({ opens, closes }: Span): Span => ({ opens, closes: closes === '24:00' ? '00:00' : closes });
const fromInput = ({ opens, closes }: Span): Span => ({ opens, closes: closes === '00:00' ? '24:00' : closes });

const fill = (spans: readonly Span[]): readonly Span[] =>
  spans.length >= SHOWN_SPANS ? spans : [...spans, ...Array<Span>(SHOWN_SPANS - spans.length).fill(EMPTY)];

export const toHoursForm = (hours: BusinessHours | null): DayForm[] =>
  DAYS.map((day) => ({
    day,
    name: capitalize(day),
    closed: hours?.[day].length === 0,
    spans: fill((hours?.[day] ?? []).map(toInput)),
  }));

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

type Hours = Record<Day, Span[]>;

/** A day without times is closed. */
export const toBusinessHours = (days: readonly DayForm[]): Hours =>
  Object.fromEntries(
    days.map(({ day, closed, spans }) => [day, closed ? [] : spans.filter((span) => !isEmpty(span)).map(fromInput)]),
  ) as Hours;
