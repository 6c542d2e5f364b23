import { toCsvLine, toReadableTime } from '../../platform/index.ts';
import { CallView } from '../calls/call-view.ts';

/** A call with the team's label for its own number, what was said in its recordings, and the parts of its person. */
export type CsvCall = Omit<CallView, 'person'> & {
  numberLabel: string | null;
  transcript: string | null;
  personName: string | null;
  personUrl: string | null;
  personProvider: string | null;
};

/** Makes a line of a call. */
export const toCsvCall = (
  { person, ...call }: CallView,
  { numberLabel, transcript }: Pick<CsvCall, 'numberLabel' | 'transcript'>,
): CsvCall => ({
  ...call,
  ...{ numberLabel, transcript, personName: person?.name ?? null, personUrl: person?.url ?? null },
  personProvider: person?.provider ?? null,
});

/** Columns in a fixed order. New ones go last, because programs may rely on the order. */
const COLUMNS = [
  ...Object.keys(CallView.properties).filter((name) => name !== 'person'),
  ...['numberLabel', 'transcript', 'personName', 'personUrl', 'personProvider'],
] as (keyof CsvCall)[];

/** Column names for people. They say that times are UTC, because nothing else in the file does. */
const WORDS: Readonly<Record<keyof CsvCall, string>> = {
  id: 'Call ID',
  provider: 'Provider',
  externalId: "Provider's call ID",
  direction: 'Direction',
  from: 'From',
  to: 'To',
  status: 'Status',
  outcome: 'Outcome',
  startedAt: 'Started (UTC)',
  answeredAt: 'Answered (UTC)',
  endedAt: 'Ended (UTC)',
  talkSeconds: 'Talk time (seconds)',
  returnedAt: 'Returned (UTC)',
  fromName: "Caller's name",
  demo: 'Demo call',
  numberLabel: 'Label of your number',
  transcript: 'What a machine heard',
  personName: 'Contact',
  personUrl: 'Page of the contact',
  personProvider: 'Contact from',
};

/** Names of the columns: those of the API's fields, or plain words. */
export type CsvColumns = 'fields' | 'words';

export const csvHead = (columns: CsvColumns): string =>
  toCsvLine(columns === 'fields' ? COLUMNS : COLUMNS.map((column) => WORDS[column]));

type Value = CsvCall[keyof CsvCall];

const toReadable = (column: keyof CsvCall, value: Value): Value =>
  column.endsWith('At') && typeof value === 'string' ? toReadableTime(value) : value;

export const toCsv = (calls: readonly CsvCall[], columns: CsvColumns): string =>
  calls
    .map((call) =>
      toCsvLine(COLUMNS.map((column) => (columns === 'words' ? toReadable(column, call[column]) : call[column]))),
    )
    .join('');
