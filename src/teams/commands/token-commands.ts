import { type Command, printTable, readAll, toIso, toIsoOrNull, UsageRefused } from '../../platform/index.ts';
import { holderOf } from '../links/sign-in-link.ts';
import { COMMAND_LINE } from '../records/record-audit.ts';
import { createAccessToken, listTokenPage, revokeAccessToken, TOKEN_DAYS } from '../tokens/access-tokens.ts';
import { type OpenTeams, pickTeam, pickUser, readName, teamOption, userTeamOption } from './command-support.ts';

const readDays = (days: string | boolean | undefined): number => {
  const number = days === undefined ? TOKEN_DAYS.fallback : Number(days);
  if (!Number.isInteger(number) || number < 1 || number > TOKEN_DAYS.most) {
    throw new UsageRefused(`--days must be a whole number from 1 to ${TOKEN_DAYS.most}.`);
  }
  return number;
};

export const tokenCommands = (open: OpenTeams): Command[] => [
  {
    name: 'token list',
    about: "Lists a team's access tokens.",
    options: teamOption,
    async run({ options }) {
      const teams = await open();
      const whose = { teamId: await pickTeam(teams, options['team']), userId: null };
      const tokens = await readAll((query) => listTokenPage(teams.database, whose, query));
      const rows = tokens.map(({ id, name, userEmail, expiresAt, usedAt }) => [
        id,
        name,
        userEmail ?? '',
        toIso(expiresAt),
        toIsoOrNull(usedAt) ?? 'never',
      ]);
      const json = tokens.map((token) => ({
        ...token,
        createdAt: toIso(token.createdAt),
        expiresAt: toIso(token.expiresAt),
        usedAt: toIsoOrNull(token.usedAt),
      }));
      return { text: printTable(['id', 'name', 'user', 'expires', 'last used'], rows), json: { tokens: json } };
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
      const name = typeof options['name'] === 'string' ? readName(options['name'], '--name') : 'command line';
      const teams = await open();
      const user = await pickUser(teams, email, options['team']);
      const made = await createAccessToken(teams, holderOf(user), COMMAND_LINE, { name, days });
      const expiresAt = toIso(made.expiresAt);
      return {
        text: `${made.token}\nThis token expires at ${expiresAt} and won't be shown again.`,
        json: { token: { ...made, createdAt: toIso(made.createdAt), expiresAt } },
      };
    },
  },
  {
    name: 'token revoke',
    about: 'Revokes an access token. A running server stops accepting it within a second.',
    words: ['id'],
    options: teamOption,
    async run({ words: [id = ''], options }) {
      const teams = await open();
      const teamId = await pickTeam(teams, options['team']);
      const revoked = await revokeAccessToken(teams, { teamId, userId: '', role: 'admin' }, COMMAND_LINE, id);
      return { text: `Revoked "${revoked.name}".`, json: { revoked: id } };
    },
  },
];
