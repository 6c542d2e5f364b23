import {
  type Command,
  CommandRefused,
  printTable,
  readAll,
  requireYes,
  toIso,
  yesOption,
} from '../../platform/index.ts';
import { COMMAND_LINE } from '../audit/record-audit.ts';
import type { Erasure } from '../erasure/erasure.ts';
import { type OpenTeams, readPersonName, withIsoTimes } from './command-support.ts';

type OpenAll = () => Promise<Awaited<ReturnType<OpenTeams>> & { erasure: Pick<Erasure, 'beginAny'> }>;

export const teamCommands = (open: OpenAll): Command[] => [
  {
    name: 'team list',
    about: 'Lists all teams.',
    async run() {
      const { teams } = await open();
      const all = await readAll(teams.team.list);
      const rows = all.map(({ id, key, name, timeZone, createdAt }) => [
        ...[id, key ?? '', name],
        ...[timeZone, toIso(createdAt)],
      ]);
      const text = printTable(['id', 'key', 'name', 'time zone', 'created'], rows);
      return { text, json: { teams: all.map(withIsoTimes) } };
    },
  },
  {
    name: 'team create',
    about: 'Creates a team. Add its admin with "user add".',
    words: ['name'],
    async run({ words: [word = ''] }) {
      const name = readPersonName(word, 'The team name');
      const { teams } = await open();
      const team = await teams.team.create(COMMAND_LINE, name);
      return { text: `Created team ${name}: ${team?.id}`, json: { team: team && withIsoTimes(team) } };
    },
  },
  {
    name: 'team delete',
    about: 'Deletes a team and everything that belongs to it. This cannot be undone.',
    words: ['id or key'],
    options: yesOption,
    async run({ words: [word = ''], options }) {
      requireYes(options, 'This deletes the team with its connections, calls, recordings, and reports.');
      const { erasure } = await open();
      const team = await erasure.beginAny(COMMAND_LINE, word);
      if (!team) throw new CommandRefused('There is no such team. Run "team list" to see all teams.');
      const name = team.name === '' ? team.id : team.name;
      return {
        text: `Deleting ${name}. Its tokens and sessions no longer work. The service erases the rest in the background, now or when it is next started.`,
        json: { id: team.id, state: 'erasing' },
      };
    },
  },
];
