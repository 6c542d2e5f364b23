import { type Command, printTable, readAll, toIso, toIsoOrNull, UsageRefused } from '../../platform/index.ts';
import { COMMAND_LINE } from '../audit/record-audit.ts';
import { type Holder, holderOf } from '../records/holder.ts';
import { TOKEN_DAYS } from '../tokens/tokens.ts';
import {
  type OpenTeams,
  openTeam,
  openUser,
  readPersonName,
  teamOption,
  userTeamOption,
  withIsoTimes,
} from './command-support.ts';

const readDays = (days: string | boolean | undefined): number => {
  const number = days === undefined ? TOKEN_DAYS.fallback : Number(days);
  if (!Number.isInteger(number) || number < 1 || number > TOKEN_DAYS.most) {
    throw new UsageRefused(`--days must be a whole number from 1 to ${TOKEN_DAYS.most}.`);
  }
  return number;
};

/** The command line acts as an admin, who can see and revoke every token of a team. */
const asAdmin = (teamId: string): Holder => ({ teamId, userId: '', role: 'admin' });

export const tokenCommands = (open: OpenTeams): Command[] => [
  {
    name: 'token list',
    about: "Lists a team's access tokens.",
    options: teamOption,
    async run({ options }) {
      const { tokens, teamId } = await openTeam(open, options);
      const all = await readAll((query) => tokens.list(asAdmin(teamId), query));
      const rows = all.map(({ id, name, userEmail, userKey, expiresAt, usedAt }) => [
        ...[id, name, userEmail ?? userKey ?? ''],
        ...[toIso(expiresAt), toIsoOrNull(usedAt) ?? 'never'],
      ]);
      const text = printTable(['id', 'name', 'user', 'expires', 'last used'], rows);
      return { text, json: { tokens: all.map(withIsoTimes) } };
    },
  },
  {
    name: 'token create',
    about: 'Creates an access token for a user and prints it once.',
    words: ['email'],
    options: {
      ...userTeamOption,
      name: { type: 'string', about: "what it's for; default: command line" },
      days: { type: 'string', about: `days until it expires; default: ${TOKEN_DAYS.fallback}` },
    },
    async run({ words: [email], options }) {
      const days = readDays(options['days']);
      const name = typeof options['name'] === 'string' ? readPersonName(options['name'], '--name') : 'command line';
      const { tokens, user } = await openUser(open, email, options);
      const made = await tokens.create(holderOf(user), COMMAND_LINE, { name, days });
      return {
        text: `${made.token}\nThis token expires at ${toIso(made.expiresAt)} and won't be shown again.`,
        json: withIsoTimes(made),
      };
    },
  },
  {
    name: 'token revoke',
    about: 'Revokes an access token. A running server stops accepting it within a second.',
    words: ['id'],
    options: teamOption,
    async run({ words: [id = ''], options }) {
      const { tokens, teamId } = await openTeam(open, options);
      const revoked = await tokens.revoke(asAdmin(teamId), COMMAND_LINE, id);
      return { text: `Revoked "${revoked.name}".`, json: { revoked: id } };
    },
  },
];
