import { type Command, readVersion, UsageRefused, usageOf } from './platform/index.ts';

export const PROGRAM = 'npm run patchbay --';

export const print = (text: string): void => void process.stdout.write(text);

const overview = (commands: readonly Command[], about: string): string => {
  const width = Math.max(...commands.map((command) => usageOf(command).length));
  const rows = commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.about}`);
  return [
    about,
    '',
    ...rows,
    '',
    `Run "${PROGRAM} <command> --help" for details. Every command takes --json (run it with "npm run -s" to hide npm's own output).`,
    '',
  ].join('\n');
};

const beginsWith = ({ name }: Command, words: readonly string[]): boolean =>
  words.every((word, index) => name.split(' ')[index] === word);

/** Prints help. A first word like `user` lists all commands that start with it. */
export const explain = (commands: readonly Command[], args: readonly string[]): number => {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [topic] = words;
  if (args.includes('--version')) {
    print(`${readVersion()}\n`);
    return 0;
  }
  if (topic === undefined || topic === 'help') {
    print(overview(commands, 'Patchbay: integrations and phone calls for teams.'));
    return 0;
  }
  const known = words.findLastIndex((_, index) =>
    commands.some((command) => beginsWith(command, words.slice(0, index + 1))),
  );
  if (known < words.length - 1) {
    const [asked, group] = [words.slice(0, known + 2), words.slice(0, known + 1)].map((part) => part.join(' '));
    const help = [PROGRAM, group, '--help'].filter(Boolean).join(' ');
    throw new UsageRefused(`There is no command "${asked}". Run "${help}" to list the commands.`);
  }
  const related = commands.filter((command) => beginsWith(command, words));
  print(overview(related, `"${words.join(' ')}" commands:`));
  return args.includes('--help') || args.includes('-h') ? 0 : 2;
};
