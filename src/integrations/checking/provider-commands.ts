import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, type Command, CommandRefused, printTable, toIso, UsageRefused } from '../../platform/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { Checked } from './check-provider.ts';
import type { CheckStep } from './check-step.ts';
import type { Answers, DraftEntry } from './draft-entry.ts';

type Given = Readonly<Record<string, string | boolean | undefined>>;
type Checking = {
  checkProvider(id: string, params: Values): Promise<Checked>;
  draftEntry(answers: Answers): Promise<DraftEntry>;
};
type Open = () => Promise<{ integrations: Checking; clock: Clock }>;

const textOf = (options: Given, name: string): string | undefined =>
  typeof options[name] === 'string' ? options[name] : undefined;

const readParams = (given: string | undefined): Values => {
  const pairs = given === undefined ? [] : given.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim()));
  if (pairs.includes(null)) throw new UsageRefused('--params must look like "subdomain=acme,region=eu".');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]));
};

/** The confirmed fields, to be added to the entry's evidence. */
const listConfirmed = (steps: readonly CheckStep[], day: string): Record<string, string> =>
  Object.fromEntries(
    steps.flatMap(({ name, confirms }) => confirms.map((field) => [field, `${day}, providers check: ${name}`])),
  );

const printCheck = (name: string, steps: readonly CheckStep[], confirmed: Record<string, string>): string => {
  const rows = steps.map((step) => [step.name, step.state, step.detail]);
  const evidence =
    Object.keys(confirmed).length === 0
      ? []
      : ['', 'To contribute this, add it to "evidence" in the entry:', JSON.stringify({ confirmed }, null, 2)];
  return [
    `${name}: nothing was granted.`,
    '',
    printTable(['check', 'result', 'what happened'], rows),
    ...evidence,
  ].join('\n');
};

const checkCommand = (open: Open): Command => ({
  name: 'providers check',
  about: 'Tries an entry at the live provider with your own OAuth app, or with a wrong key. Nothing is ever granted.',
  words: ['id'],
  options: { params: { type: 'string', about: 'what the entry asks for, like "subdomain=acme,region=eu"' } },
  async run({ words: [id = ''], options }) {
    const params = readParams(textOf(options, 'params'));
    const { integrations, clock } = await open();
    const { name, steps } = await integrations.checkProvider(id, params);
    const confirmed = listConfirmed(steps, toIso(clock.now()).slice(0, 10));
    return {
      text: printCheck(name, steps, confirmed),
      json: { provider: id, steps, confirmed },
      exitCode: steps.some(({ state }) => state === 'failed') ? 1 : 0,
    };
  },
});

const readAnswers = (id: string, options: Given): Answers => {
  const [issuer, authorizeUrl, tokenUrl] = ['issuer', 'authorize-url', 'token-url'].map((name) =>
    textOf(options, name),
  );
  if (issuer === undefined && (authorizeUrl === undefined || tokenUrl === undefined))
    throw new UsageRefused('Give --issuer, or --authorize-url and --token-url.');
  if (issuer !== undefined && (authorizeUrl ?? tokenUrl) !== undefined)
    throw new UsageRefused('Give --issuer, or --authorize-url and --token-url, not both.');
  const [category, developerUrl] = ['category', 'developer-url'].map((name) => textOf(options, name));
  return {
    id,
    name: textOf(options, 'name') ?? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
    scopes: (textOf(options, 'scopes') ?? '').split(/[\s,]+/).filter((scope) => scope !== ''),
    ...(category === undefined ? {} : { category }),
    ...(developerUrl === undefined ? {} : { developerUrl }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(authorizeUrl === undefined ? {} : { authorizeUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
};

const writeNew = (path: string, text: string): void => {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandRefused(`${path} already exists. Choose another name, or remove it first.`);
    throw new CommandRefused(`${path} cannot be written (${code}).`);
  }
};

const newCommand = (open: Open): Command => ({
  name: 'providers new',
  about: 'Writes an entry for a provider, from its issuer or from two addresses. See docs/providers.md.',
  words: ['id'],
  options: {
    issuer: { type: 'string', about: 'its issuer; the rest is read from its discovery document' },
    'authorize-url': { type: 'string', about: 'the address of its authorization page' },
    'token-url': { type: 'string', about: 'the address of its token endpoint' },
    name: { type: 'string', about: 'how people call it; default: the ID' },
    category: { type: 'string', about: 'where it is listed, like crm or chat' },
    scopes: { type: 'string', about: 'requested by default, separated by spaces' },
    'developer-url': { type: 'string', about: 'where a developer registers an OAuth app' },
    file: { type: 'string', about: 'where to write it; default: <id>.json' },
  },
  async run({ words: [id = ''], options }) {
    const answers = readAnswers(id, options);
    const path = resolve(textOf(options, 'file') ?? `${id}.json`);
    const { integrations } = await open();
    const entry = await integrations.draftEntry(answers);
    writeNew(path, `${JSON.stringify(entry, null, 2)}\n`);
    const { unchecked = [] } = entry.evidence;
    const text = [
      `Wrote ${path}.`,
      '',
      `Look these up in the provider's documentation, and note where you found them in "evidence": ${unchecked.join(', ')}.`,
      'To use it right away, put it without "evidence" into the array of the file that PATCHBAY_PROVIDERS names, and run "providers check".',
    ].join('\n');
    return { text, json: { file: path, entry } };
  },
});

export const providerCommands = (open: Open): Command[] => [checkCommand(open), newCommand(open)];
