import { type Command, printTable, readAll, toIso } from '../../platform/index.ts';
import { COMMAND_LINE } from '../records/record-audit.ts';
import { type OpenTeams, readName, withIsoTimes } from './command-support.ts';

export const teamCommands = (open: OpenTeams): Command[] => [
  {
    name: 'team list',
    about: 'Lists all teams.',
    async run() {
      const { teams } = await open();
      const all = await readAll(teams.team.list);
      const rows = all.map(({ id, name, timeZone, createdAt }) => [id, name, timeZone, toIso(createdAt)]);
      return { text: printTable(['id', 'name', 'time zone', 'created'], rows), json: { teams: all.map(withIsoTimes) } };
    },
  },
  {
    name: 'team create',
    about: 'Creates a team. Add its admin with "user add".',
    words: ['name'],
    async run({ words: [word = ''] }) {
      const name = readName(word, 'The team name');
      const { teams } = await open();
      const team = await teams.team.create(COMMAND_LINE, name);
      return { text: `Created team ${name}: ${team?.id}`, json: { team: team && withIsoTimes(team) } };
    },
  },
];
