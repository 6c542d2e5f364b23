import { type Command, printTable, readAll, requireYes, UsageRefused, yesOption } from '../../platform/index.ts';
import { COMMAND_LINE, teamOption } from '../../teams/index.ts';
import { isTranscribe } from '../contract/answer-settings.ts';
import { type OpenTeam, optionText } from './command-options.ts';

export const numberCommands = (open: OpenTeam): Command[] => [
  {
    name: 'telephony number list',
    about: "Lists a team's numbers and how each is answered.",
    options: teamOption,
    async run({ options }) {
      const { numbers, teamId } = await open(options);
      const all = await readAll((query) => numbers.list(teamId, query));
      const cells = all.map(({ id, number, label, account, simulated, answer }) => [
        ...[id, number, simulated ? 'Demo' : (label ?? ''), account],
        answer.forwardTo?.join(', ') || (answer.voicemail === false ? 'nobody' : 'voicemail'),
      ]);
      return { text: printTable(['id', 'number', 'label', 'account', 'forwarded to'], cells), json: { numbers: all } };
    },
  },
  {
    name: 'telephony number add',
    about: 'Adds a number to an account. Without --forward-to, callers can leave a message.',
    words: ['number'],
    options: {
      ...teamOption,
      account: { type: 'string', about: 'the ID of its account, from "telephony account list"' },
      label: { type: 'string', about: 'a name for it' },
      greeting: { type: 'string', about: 'what callers hear first' },
      'forward-to': { type: 'string', about: 'numbers to ring, separated by commas' },
      transcribe: { type: 'string', about: 'who turns recordings into text: off (default), provider, or own' },
    },
    async run({ words: [number = ''], options }) {
      const account = optionText(options, 'account');
      if (account === undefined) throw new UsageRefused('--account is required. See "telephony account list".');
      const greeting = optionText(options, 'greeting');
      const forwardTo = optionText(options, 'forward-to')
        ?.split(',')
        .map((one) => one.trim());
      const label = optionText(options, 'label') ?? null;
      const transcribe = optionText(options, 'transcribe');
      if (transcribe !== undefined && !isTranscribe(transcribe))
        throw new UsageRefused('--transcribe must be off, provider, or own.');
      const answer = {
        ...(greeting ? { greeting } : {}),
        ...(forwardTo ? { forwardTo } : {}),
        ...(transcribe ? { transcribe } : {}),
      };
      const { numbers, teamId } = await open(options);
      const view = await numbers.create(teamId, COMMAND_LINE, { number, label, account, answer });
      return { text: `Added ${view.id}. The next call will be answered.`, json: view };
    },
  },
  {
    name: 'telephony number remove',
    about: 'Removes a number. Its calls stay.',
    words: ['id'],
    options: teamOption,
    async run({ words: [id = ''], options }) {
      const { numbers, teamId } = await open(options);
      await numbers.remove(teamId, COMMAND_LINE, id);
      return { text: `Removed ${id}.`, json: { removed: id } };
    },
  },
  {
    name: 'telephony erase',
    about: 'Erases everything about a phone number: its calls, their recordings, and the deliveries about them.',
    words: ['number'],
    options: { ...teamOption, ...yesOption },
    async run({ words: [number = ''], options }) {
      requireYes(options, "This erases the number's calls with their recordings.");
      const { numbers, teamId } = await open(options);
      const erased = await numbers.erase(teamId, COMMAND_LINE, number);
      const { calls, recordings, held } = erased;
      return { text: `Erased ${calls} calls, ${recordings} recordings, and ${held} held deliveries.`, json: erased };
    },
  },
];
