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

/** A caller's name may be a formula to whoever opens the file in a spreadsheet. A phone number is none. */
const isFormula = (text: string): boolean => /^[=@\t\r+-]/.test(text) && !/^\+\d+$/.test(text);

const toCell = (value: string | number | null): string => {
  if (value === null) return '';
  const text = String(value);
  const safe = typeof value === 'string' && isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toLine = (cells: readonly (string | number | null)[]): string => `${cells.map(toCell).join(',')}\r\n`;

export const CSV_TYPE = 'text/csv; charset=utf-8';

export const csvHead = (): string => toLine(COLUMNS);

export const toCsv = (calls: readonly CallAnswer[]): string =>
  calls.map((call) => toLine(COLUMNS.map((column) => call[column]))).join('');
