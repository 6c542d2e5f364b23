import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** What a command prints: for a person, or with `--json` for a program. */
export type Output = { text: string; json: unknown; exitCode?: number };

export type CommandInput = {
  /** The words after the command's own, in order. */
  words: string[];
  /** `--name value`, or true for a bare `--name`. */
  options: Record<string, string | boolean | undefined>;
  /** Whether to print JSON, for a program. */
  json: boolean;
  progress: Progress;
};

export type Progress = (done: number, total: number) => void;

export type Command = {
  /** The words that call the command, such as `token create`. */
  name: string;
  about: string;
  /** The names of the words that follow. Those that end in `?` are optional. */
  words?: readonly string[];
  /**
   * `value` is what the help calls the value of an option. `repeats`: the option can be given several times, and its
   * value has a line for each.
   */
  options?: Readonly<Record<string, { type: 'string' | 'boolean'; about: string; value?: string; repeats?: boolean }>>;
  run(input: CommandInput): Promise<Output>;
};

/** The command was called incorrectly: one line, exit code 2. */
export class UsageRefused extends Error {
  override readonly name = 'UsageRefused';
}

/** The command was called correctly, but can't be carried out: one line, exit code 1. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

const EVERYWHERE: ParseArgsOptionsConfig = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };

export const usageOf = ({ name, words = [] }: Command): string =>
  [name, ...words.map((word) => (word.endsWith('?') ? `[${word.slice(0, -1)}]` : `<${word}>`))].join(' ');

export const helpOf = (program: string, command: Command): string => {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { type, about, value = 'value' }]) =>
      [`--${name}${type === 'string' ? ` <${value}>` : ''}`, about] as const,
  );
  const rows = [...options, ['--json', 'print JSON, for scripts'] as const, ['--help', 'print this help'] as const];
  const width = Math.max(...rows.map(([option]) => option.length));
  return [
    `${program} ${usageOf(command)}`,
    '',
    command.about,
    '',
    ...rows.map(([option, about]) => `  ${option.padEnd(width)}  ${about}`),
  ].join('\n');
};

/** Finds the longest command that the arguments start with. */
export const findCommand = (commands: readonly Command[], args: readonly string[]): Command | undefined =>
  commands
    .filter(({ name }) => name.split(' ').every((word, index) => args[index] === word))
    .sort((left, right) => right.name.length - left.name.length)[0];

/** Explains the error in our own words, because the parser's are for programmers and take several lines. */
const explainParseError = ({ name, options = {} }: Command, error: unknown): string => {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const option = /'(?:-\w, )?(-[^' ]+)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `"${name}" has no option ${option}. Add --help to see its options.`;
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return 'The options could not be parsed.';
  return options[option.slice(2)]?.type === 'string'
    ? `${option} needs a value (use ${option}=… if it starts with a dash).`
    : `${option} takes no value.`;
};

export const parseCommand = (command: Command, args: readonly string[]) => {
  const rest = args.slice(command.name.split(' ').length);
  const declared = Object.entries(command.options ?? {});
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    declared.map(([name, { type, repeats = false }]) => [name, { type, multiple: repeats }]),
  );
  try {
    const parsed = parseArgs({ args: rest, options: { ...options, ...EVERYWHERE }, allowPositionals: true });
    const flat = Object.entries(parsed.values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join('\n') : value,
    ]);
    const { json = false, help = false, ...values } = Object.fromEntries(flat) as Record<string, string | boolean>;
    const { words = [] } = command;
    const given = parsed.positionals.length;
    const required = words.filter((word) => !word.endsWith('?'));
    if (!help && (given < required.length || given > words.length))
      throw new UsageRefused(`Usage: ${usageOf(command)}`);
    return { words: parsed.positionals, options: values, json: json === true, help: help === true };
  } catch (error) {
    throw error instanceof UsageRefused ? error : new UsageRefused(explainParseError(command, error));
  }
};
