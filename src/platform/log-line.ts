import { styleText } from 'node:util';

/** The longest list that is shown in full. Of a longer list, only the first and last items are shown. */
const MOST_SHOWN = 4;

const LEVEL_STYLES = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

const isLevel = (level: unknown): level is keyof typeof LEVEL_STYLES => String(level) in LEVEL_STYLES;

const formatValue = (value: unknown): string => {
  if (Array.isArray(value))
    return value.length > MOST_SHOWN
      ? `${formatValue(value[0])} … ${formatValue(value.at(-1))} (${value.length})`
      : value.map(formatValue).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Characters that control a terminal, reverse the writing direction, or start a new line. */
const UNRULY = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeUnruly = (text: string): string =>
  text.replace(UNRULY, (sign) => ESCAPES[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Starts a new line only for each frame ("at …") and cause of a stack trace. Other line breaks are part of a message,
 * and are escaped.
 */
const formatStack = (stack: unknown): string =>
  String(stack)
    .split(/\n(?= {4}at |caused by: )/)
    .map((line) => `\n  ${escapeUnruly(line)}`)
    .join('');

/** Formats a line of the log for people at a terminal: local time, level, message, and the other fields. */
export const formatLogLine = (line: string): string => {
  const { time, level, msg, err, ...fields } = JSON.parse(line);
  const at = new Date(time).toLocaleTimeString('en-GB');
  const shown = escapeUnruly(String(level)).padEnd(5);
  const known = Object.entries(fields).map(([name, value]) => escapeUnruly(`${name}=${formatValue(value)}`));
  const head = [
    styleText('gray', at),
    isLevel(level) ? styleText(LEVEL_STYLES[level], shown) : shown,
    escapeUnruly(String(msg ?? '')),
  ];
  const cause = err ? formatStack(err.stack ?? err.message ?? err.type) : '';
  return `${[...head, known.length > 0 ? styleText('gray', known.join('  ')) : ''].join('  ').trimEnd()}${cause}\n`;
};
