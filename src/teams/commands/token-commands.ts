import { RIGHT_NAMES, type Right } from '../../http/index.ts';
import { type Command, printTable, readAll, toIso, toIsoOrNull, UsageRefused } from '../../platform/index.ts';
import { COMMAND_LINE } from '../audit/record-audit.ts';
import { type Holder, holderOf } from '../records/holder.ts';
import type { StoredRestriction } from '../records/restriction.ts';
import { APPROVAL_MINUTES, type AskedRights, toRightsView } from '../tokens/token-rights.ts';
import { TOKEN_DAYS, TOKEN_MINUTES } from '../tokens/tokens.ts';
import {
  type OpenTeams,
  openTeam,
  openUser,
  readPersonName,
  teamOption,
  userTeamOption,
  withIsoTimes,
} from './command-support.ts';
import { readAllow } from './read-allow.ts';

const readNumber = (option: string, text: string | boolean | undefined, most: number): number | undefined => {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageRefused(`${option} must be a whole number from 1 to ${most}.`);
  return number;
};

const isRight = (name: string): name is Right => (RIGHT_NAMES as readonly string[]).includes(name);

/** Reads `--can calls,reports`. An empty value gives a token that can do nothing but what `--allow` says. */
const readCan = (text: string): Right[] => {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const unknown = names.find((name) => !isRight(name));
  if (unknown !== undefined)
    throw new UsageRefused(`--can has no right "${unknown}". There are: ${RIGHT_NAMES.join(', ')}.`);
  return names.filter(isRight);
};

type Options = Record<string, string | boolean | undefined>;

const readRights = ({ can, allow, ask, 'ask-minutes': minutes }: Options): AskedRights => {
  const approvalMinutes = readNumber('--ask-minutes', minutes, APPROVAL_MINUTES.most);
  if (ask === true && allow === undefined) throw new UsageRefused('--ask needs --allow.');
  if (approvalMinutes !== undefined && ask !== true) throw new UsageRefused('--ask-minutes needs --ask.');
  return {
    ...(typeof can === 'string' ? { can: readCan(can) } : {}),
    ...(typeof allow === 'string' ? { allow: allow.split('\n').map(readAllow) } : {}),
    ...(ask === true ? { writes: 'ask' } : {}),
    ...(approvalMinutes === undefined ? {} : { approvalMinutes }),
  };
};

const sayRights = (restriction: StoredRestriction | null): string => {
  if (!restriction) return 'all of its user';
  const { can, allow, approvalMinutes } = restriction;
  const places = allow.map(({ provider, connection, host, methods, paths }) =>
    [
      `${provider}${connection === null ? '' : `:${connection}`}${host === null ? '' : `@${host}`}`,
      ...(methods === null ? [] : [methods.join(',')]),
      ...(paths === null ? [] : [paths.length === 1 ? paths[0] : `${paths.length} paths`]),
    ].join(' '),
  );
  const asks = approvalMinutes === null ? [] : ['asks'];
  return [...can, ...places, ...asks].join(', ') || 'nothing';
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
      const rows = all.map(({ id, name, userEmail, userKey, expiresAt, usedAt, restriction, isContained }) => [
        ...[id, name, userEmail ?? userKey ?? '', sayRights(restriction)],
        ...[toIso(expiresAt), toIsoOrNull(usedAt) ?? 'never', isContained ? 'Stopped' : ''],
      ]);
      const text = printTable(['id', 'name', 'user', 'can', 'expires', 'last used', 'state'], rows);
      const shown = all.map(({ restriction, isContained: contained, ...token }) =>
        withIsoTimes({ ...token, contained, ...toRightsView(restriction) }),
      );
      return { text, json: { tokens: shown } };
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
      minutes: { type: 'string', about: 'minutes until it expires, instead of days' },
      can: { type: 'string', about: `restricts it to these rights: ${RIGHT_NAMES.join(', ')}` },
      allow: {
        ...{ type: 'string', value: 'requests', repeats: true },
        about:
          "restricts it to requests through the proxy: '<provider>[:<connection>][@<host>] [<methods>] [<paths>…]', such as 'github:work GET,HEAD /repos/**'; may be repeated",
      },
      ask: { type: 'boolean', about: 'lets it ask an admin to send other requests to what --allow names' },
      'ask-minutes': {
        ...{ type: 'string', value: 'minutes' },
        about: `minutes that such a request waits; default: ${APPROVAL_MINUTES.fallback}`,
      },
    },
    async run({ words: [email], options }) {
      const days = readNumber('--days', options['days'], TOKEN_DAYS.most);
      const minutes = readNumber('--minutes', options['minutes'], TOKEN_MINUTES);
      const rights = readRights(options);
      const name = typeof options['name'] === 'string' ? readPersonName(options['name'], '--name') : 'command line';
      const { tokens, user } = await openUser(open, email, options);
      const made = await tokens.create(holderOf(user), COMMAND_LINE, { name, days, minutes, rights });
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
