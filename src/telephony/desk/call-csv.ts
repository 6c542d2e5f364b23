import { CallView } from '../calls/call-view.ts';

const COLUMNS = Object.keys(CallView.properties) as (keyof CallView)[];

/**
 * Where a spreadsheet would see a formula. If it separates cells by semicolons or tabs instead of commas, a cell can
 * also start inside one of ours, and our quotes are just characters.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*[=+@-])|^(?=[\t\r])/g;
const PHONE_NUMBER = /^\+\d+$/;

/** A spreadsheet may run a caller's name as a formula. A phone number is safe. */
const withoutFormulas = (text: string): string => (PHONE_NUMBER.test(text) ? text : text.replace(FORMULA, "'"));

type Cell = CallView[keyof CallView];

const toCell = (value: Cell): string => {
  if (value === null) return '';
  const safe = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toLine = (cells: readonly Cell[]): string => `${cells.map(toCell).join(',')}\r\n`;

export const CSV_TYPE = 'text/csv; charset=utf-8';

export const csvHead = (): string => toLine(COLUMNS);

export const toCsv = (calls: readonly CallView[]): string =>
  calls.map((call) => toLine(COLUMNS.map((column) => call[column]))).join('');
