import { readFileSync } from 'node:fs';
import { type Command, printTable, readAll, requireYes, UsageRefused, yesOption } from '../../platform/index.ts';
import { COMMAND_LINE, teamOption } from '../../teams/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import type { AccountView } from './account-view.ts';
import { type OpenTeam, type Options, optionText } from './command-options.ts';

const NAMES = PROVIDERS.map(({ id }) => id).join(', ');

const readProvider = (id: string): string => {
  if (!PROVIDERS.some((provider) => provider.id === id))
    throw new UsageRefused(`Unknown provider "${id}". Use one of ${NAMES}.`);
  return id;
};

/** Reads the secret from a file or standard input. On the command line, it would stay in the shell's history. */
const readSecret = (options: Options): string => {
  const file = optionText(options, 'secret-file');
  if (file === undefined)
    throw new UsageRefused('--secret-file is required: a file with the secret, or - for standard input.');
  try {
    const secret = readFileSync(file === '-' ? 0 : file, 'utf8').trim();
    if (secret !== '') return secret;
  } catch {
    throw new UsageRefused(`The secret file can't be read: ${file}.`);
  }
  throw new UsageRefused('The secret file is empty.');
};

const readApi = (options: Options): Record<string, string> => {
  const file = optionText(options, 'api-file');
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageRefused('--api-file must be a JSON file with credentials for fetching recordings.');
  }
};

const secretFile = {
  type: 'string',
  about: 'a file with the secret that verifies deliveries, or - for standard input',
} as const;

const modeOf = ({ mode, simulated }: AccountView): string => (simulated ? 'demo' : mode);

/** Prints an account with everything an admin may need. */
const describeAccount = (account: AccountView): string => {
  const { id, provider, accountId, webhooks, secrets, refusals, held } = account;
  return [
    `${id}: ${provider} ${accountId ?? ''} (${modeOf(account)})`,
    `  voice:     ${webhooks.voiceUrl}`,
    `  status:    ${webhooks.statusUrl}`,
    `  recording: ${webhooks.recordingUrl}`,
    ...webhooks.notes.map((note) => `  - ${note}`),
    ...secrets.map((secret) => `  secret ${secret.id}, last used ${secret.lastUsedAt ?? 'never'}`),
    ...refusals.map(({ count, lastAt, hint }) => `  refused ${count}, last ${lastAt}: ${hint}`),
    ...(held.count > 0 ? [`  held ${held.count}, see "telephony account release ${id}"`] : []),
  ].join('\n');
};

export const accountCommands = (open: OpenTeam): Command[] => [
  {
    name: 'telephony account show',
    about: 'Shows an account: the URLs to paste, its secrets by ID, and what was refused and why.',
    words: ['id'],
    options: teamOption,
    async run({ words: [id = ''], options }) {
      const { accounts, teamId } = await open(options);
      const view = await accounts.get(teamId, id);
      return { text: describeAccount(view), json: view };
    },
  },
  {
    name: 'telephony account list',
    about: 'Lists the telephony accounts of a team. "telephony account show" shows more.',
    options: teamOption,
    async run({ options }) {
      const { accounts, teamId } = await open(options);
      const all = await readAll((query) => accounts.list(teamId, query));
      const cells = all.map((account) => [
        ...[account.id, account.provider, account.accountId ?? '', modeOf(account), account.webhooks.voiceUrl],
      ]);
      return { text: printTable(['id', 'provider', 'account', 'mode', 'voice URL'], cells), json: { accounts: all } };
    },
  },
  {
    name: 'telephony account add',
    about: 'Adds a telephony account and prints the URLs to paste at the provider.',
    words: ['provider'],
    options: {
      ...teamOption,
      'account-id': { type: 'string', about: "the provider's ID for the account" },
      'secret-file': secretFile,
      'api-file': {
        type: 'string',
        about: 'a JSON file with credentials for fetching recordings, if they differ from the secret',
      },
      observe: { type: 'boolean', about: 'hold unverified deliveries for up to seven days instead of refusing them' },
    },
    async run({ words: [word = ''], options }) {
      const provider = readProvider(word);
      const secrets = [readSecret(options)];
      const api = readApi(options);
      const accountId = optionText(options, 'account-id') ?? null;
      const mode = options['observe'] ? 'observe' : 'enforce';
      const { accounts, teamId } = await open(options);
      const view = await accounts.create(teamId, COMMAND_LINE, { provider, accountId, secrets, api, mode });
      return { text: `Added. Set this up at the provider:\n${describeAccount(view)}`, json: view };
    },
  },
  {
    name: 'telephony account change',
    about: 'Adds a secret in front of the others, removes one by its ID, or changes the mode.',
    words: ['id'],
    options: {
      ...teamOption,
      'secret-file': secretFile,
      'remove-secret': { type: 'string', about: 'the ID of a secret that is no longer used' },
      mode: { type: 'string', about: 'enforce or observe' },
    },
    async run({ words: [id = ''], options }) {
      const { mode } = options;
      if (mode !== undefined && mode !== 'enforce' && mode !== 'observe')
        throw new UsageRefused('--mode must be enforce or observe.');
      const removeSecret = optionText(options, 'remove-secret');
      if (mode === undefined && removeSecret === undefined && options['secret-file'] === undefined)
        throw new UsageRefused('Nothing to change. Use --secret-file, --remove-secret or --mode.');
      const addSecret = options['secret-file'] === undefined ? undefined : readSecret(options);
      const { accounts, teamId } = await open(options);
      const view = await accounts.change(teamId, COMMAND_LINE, id, {
        ...(mode ? { mode } : {}),
        ...(addSecret === undefined ? {} : { addSecret }),
        ...(removeSecret === undefined ? {} : { removeSecret }),
      });
      return { text: `Changed ${id}.`, json: view };
    },
  },
  {
    name: 'telephony account release',
    about: "Verifies an observed account's held deliveries again and releases those that pass.",
    words: ['id'],
    options: teamOption,
    async run({ words: [id = ''], options }) {
      const { accounts, teamId } = await open(options);
      const done = await accounts.releaseHeld(teamId, COMMAND_LINE, id);
      return { text: `Released ${done.released}, still held ${done.held}.`, json: done };
    },
  },
  {
    name: 'telephony account remove',
    about: 'Removes a telephony account and its numbers. Calls and recordings stay.',
    words: ['id'],
    options: { ...teamOption, ...yesOption },
    async run({ words: [id = ''], options }) {
      requireYes(
        options,
        'This removes the account with its secrets and numbers, and its calls are no longer answered.',
      );
      const { accounts, teamId } = await open(options);
      await accounts.remove(teamId, COMMAND_LINE, id);
      return { text: `Removed ${id}.`, json: { removed: id } };
    },
  },
];
