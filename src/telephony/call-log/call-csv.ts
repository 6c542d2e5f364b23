import { CallView } from '../calls/call-view.ts';

/** A call with the team's label for its own number. */
export type CsvCall = CallView & { numberLabel: string | null };

/** Columns in a fixed order. New ones go last, because programs may rely on the order. */
const COLUMNS = [...Object.keys(CallView.properties), 'numberLabel'] as (keyof CsvCall)[];

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
};

/** Names of the columns: those of the API's fields, or plain words. */
export type CsvColumns = 'fields' | 'words';

/**
 * Matches the positions where a spreadsheet may see a formula: the start of a cell, and the text after a semicolon or
 * tab. A spreadsheet that separates cells by those instead of commas ignores our quotes, and starts a new cell there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"\0\u200b-\u200f]*[=+@\-＝＋＠－])|^(?=[\t\r])/g;
const PHONE_NUMBER = /^\+\d+$/;

/** Makes text safe, because a spreadsheet may run a caller's name as a formula. A phone number is safe already. */
const withoutFormulas = (text: string): string => (PHONE_NUMBER.test(text) ? text : text.replace(FORMULA, "'"));

type Cell = CsvCall[keyof CsvCall];

const toCell = (value: Cell): string => {
  if (value === null) return '';
  const safe = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toLine = (cells: readonly Cell[]): string => `${cells.map(toCell).join(',')}\r\n`;

export const CSV_TYPE = 'text/csv; charset=utf-8';

export const csvHead = (columns: CsvColumns): string =>
  toLine(columns === 'fields' ? COLUMNS : COLUMNS.map((column) => WORDS[column]));

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Prints a time as "2026-11-09 09:15:00", which spreadsheets sort and format as a time. */
const toReadable = (column: keyof CsvCall, value: Cell): Cell =>
  column.endsWith('At') && typeof value === 'string' ? value.replace(TIME, '$1 $2') : value;

export const toCsv = (calls: readonly CsvCall[], columns: CsvColumns): string =>
  calls
    .map((call) =>
      toLine(COLUMNS.map((column) => (columns === 'words' ? toReadable(column, call[column]) : call[column]))),
    )
    .join('');
