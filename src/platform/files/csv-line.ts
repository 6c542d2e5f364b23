export type CsvCell = string | number | boolean | null;

/**
 * Matches the positions where a spreadsheet may see a formula: the start of a cell, and the text after a semicolon or
 * tab. A spreadsheet that separates cells by those instead of commas ignores our quotes, and starts a new cell there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"\0\u200b-\u200f]*[=+@\-＝＋＠－])|^(?=[\t\r])/g;
const PHONE_NUMBER = /^\+\d+$/;

/** Makes text safe, because a spreadsheet may run anyone's name as a formula. A phone number is safe already. */
const withoutFormulas = (text: string): string => (PHONE_NUMBER.test(text) ? text : text.replace(FORMULA, "'"));

const toText = (value: CsvCell): string => {
  if (value === null) return '';
  const safe = typeof value === 'string' ? withoutFormulas(value) : String(value);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Prints a line of a CSV file. */
export const toCsvLine = (cells: readonly CsvCell[]): string => `${cells.map(toText).join(',')}\r\n`;

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** Prints a time as "2026-11-09 09:15:00", which spreadsheets sort and format as a time. */
export const toReadableTime = (iso: string): string => iso.replace(TIME, '$1 $2');
