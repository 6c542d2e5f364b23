import { BEFORE_IDS, type Command, printTable, readAll, readPage, toIso } from '../../platform/index.ts';
import { cursorInvalid } from '../errors.ts';
import { COMMAND_LINE, recordAudit } from '../records/record-audit.ts';
import type { Team } from '../records/team.ts';
import { listTeamsAfter } from '../records/team-store.ts';
import { createTeam } from '../team/create-team.ts';
import { type OpenTeams, readName } from './command-support.ts';

const teamJson = (team: Team) => ({ ...team, createdAt: toIso(team.createdAt) });

export const teamCommands = (open: OpenTeams): Command[] => [
  {
    name: 'team list',
    about: 'Lists all teams.',
    async run() {
      const { database } = await open();
      const teams = await readAll((query) =>
        readPage(query, {
          read: (after, limit) => listTeamsAfter(database, after ?? BEFORE_IDS, limit),
          keyOf: ({ id }) => id,
          refuseCursor: cursorInvalid,
        }),
      );
      const rows = teams.map(({ id, name, timeZone, createdAt }) => [id, name, timeZone, toIso(createdAt)]);
      return {
        text: printTable(['id', 'name', 'time zone', 'created'], rows),
        json: { teams: teams.map(teamJson) },
      };
    },
  },
  {
    name: 'team create',
    about: 'Creates a team. Add its admin with "user add".',
    words: ['name'],
    async run({ words: [word = ''] }) {
      const name = readName(word, 'The team name');
      const teams = await open();
      const team = await teams.database.transaction(async (tx) => {
        const made = await createTeam(teams, tx, name);
        if (made) await recordAudit(teams, tx, made.id, COMMAND_LINE, { action: 'team.create', target: made.id });
        return made;
      });
      return { text: `Created team ${name}: ${team?.id}`, json: { team: team && teamJson(team) } };
    },
  },
];
