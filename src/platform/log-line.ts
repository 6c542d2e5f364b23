import { styleText } from 'node:util';

/** Longer lists are shown by their ends. */
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

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

/** A line of the log for people at a terminal: local time, level, message, and what is known besides. */
export const formatLogLine = (line: string): string => {
  const { time, level, msg, err, ...fields } = JSON.parse(line);
  const at = new Date(time).toLocaleTimeString('en-GB');
  const shown = String(level).padEnd(5);
  const known = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const head = [styleText('gray', at), isLevel(level) ? styleText(LEVEL_STYLES[level], shown) : shown, msg];
  const cause = err ? `\n  ${indent(err.stack ?? err.message ?? err.type)}` : '';
  return `${[...head, known.length > 0 ? styleText('gray', known.join('  ')) : ''].join('  ').trimEnd()}${cause}\n`;
};
