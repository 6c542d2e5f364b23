import type { CallAnswer } from './call-answer.ts';

const COLUMNS = [
  'id',
  'provider',
  'externalId',
  'direction',
  'from',
  'to',
  'status',
  'outcome',
  'startedAt',
  'answeredAt',
  'endedAt',
  'talkSeconds',
  'returnedAt',
] as const satisfies readonly (keyof CallAnswer)[];

/**
 * Where a spreadsheet would see a formula. Where semicolons or tabs divide cells instead of commas, a cell also begins
 * inside of ours, and the quotes around ours are letters.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*[=+@-])|^(?=[\t\r])/g;
const PHONE_NUMBER = /^\+\d+$/;

/** A caller's name may be a formula to whoever opens the file in a spreadsheet. A phone number is none. */
const withoutFormulas = (text: string): string => (PHONE_NUMBER.test(text) ? text : text.replace(FORMULA, "'"));

const toCell = (value: string | number | null): string => {
  if (value === null) return '';
  const safe = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toLine = (cells: readonly (string | number | null)[]): string => `${cells.map(toCell).join(',')}\r\n`;

export const CSV_TYPE = 'text/csv; charset=utf-8';

export const csvHead = (): string => toLine(COLUMNS);

export const toCsv = (calls: readonly CallAnswer[]): string =>
  calls.map((call) => toLine(COLUMNS.map((column) => call[column]))).join('');
