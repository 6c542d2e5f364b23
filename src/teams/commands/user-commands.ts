import {
  type Command,
  printTable,
  readAll,
  requireYes,
  toIso,
  toIsoOrNull,
  UsageRefused,
  yesOption,
} from '../../platform/index.ts';
import { COMMAND_LINE } from '../audit/record-audit.ts';
import type { SignInLink } from '../links/make-sign-in-link.ts';
import {
  type OpenTeams,
  openAnyUser,
  openTeam,
  openUser,
  readPersonName,
  teamOption,
  userTeamOption,
  withIsoTimes,
} from './command-support.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

const linkText = ({ address, expiresAt }: SignInLink): string =>
  `${address}\nThis link works once and expires at ${toIso(expiresAt)}.`;

const readRole = (role: string | boolean | undefined): 'admin' | 'member' => {
  if (role !== 'member' && role !== 'admin') throw new UsageRefused('The role must be admin or member.');
  return role;
};

const SWITCH_BACK =
  'A session in another of their teams may be able to switch to this one: without --team, the command ends these, too.';
const AFTER_EMAIL =
  'They stay signed in until they use a link to it ("user link"), which ends their other sessions and access tokens, except those that you made.';

export const userCommands = (open: OpenTeams): Command[] => [
  {
    name: 'user list',
    about: "Lists a team's users.",
    options: teamOption,
    async run({ options }) {
      const { members, teamId } = await openTeam(open, options);
      const users = await readAll((query) => members.list(teamId, query));
      const rows = users.map(({ id, email, key, role, signedInAt }) => [
        ...[id, email ?? '', key ?? '', role],
        toIsoOrNull(signedInAt) ?? 'never',
      ]);
      return {
        text: printTable(['id', 'email', 'key', 'role', 'last sign-in'], rows),
        json: { users: users.map(withIsoTimes) },
      };
    },
  },
  {
    name: 'user add',
    about: 'Adds a user and prints a sign-in link for them.',
    words: ['email'],
    options: {
      ...teamOption,
      role: { type: 'string', about: 'admin or member; default: member' },
      name: { type: 'string', about: "the user's name" },
    },
    async run({ words: [email = ''], options }) {
      if (!EMAIL.test(email)) throw new UsageRefused(`"${email}" is not an email address.`);
      const name = typeof options['name'] === 'string' ? readPersonName(options['name'], '--name') : null;
      const role = options['role'] === undefined ? undefined : readRole(options['role']);
      const { members, teamId } = await openTeam(open, options);
      const { user, link } = await members.invite(teamId, COMMAND_LINE, { email, name, role });
      return {
        text: `Added ${user.email} as ${user.role}. Sign in with:\n${linkText(link)}`,
        json: { user: withIsoTimes(user), link: withIsoTimes(link) },
      };
    },
  },
  {
    name: 'user link',
    about: 'Prints a new sign-in link for a user. It works once and expires in a day. Earlier links stop working.',
    words: ['email'],
    options: userTeamOption,
    async run({ words: [email], options }) {
      const { members, user } = await openAnyUser(open, email, options);
      const link = await members.makeLink(user, COMMAND_LINE);
      return { text: linkText(link), json: { link: withIsoTimes(link) } };
    },
  },
  {
    name: 'user role',
    about: "Changes a user's role to admin or member.",
    words: ['email', 'role'],
    options: userTeamOption,
    async run({ words: [email, role], options }) {
      const { members, user } = await openUser(open, email, options);
      const changed = await members.change(user.teamId, COMMAND_LINE, user.id, { role: readRole(role) });
      return { text: `The role of ${changed.email} is now ${changed.role}.`, json: { user: withIsoTimes(changed) } };
    },
  },
  {
    name: 'user email',
    about:
      "Changes a user's email address in one team. They stay signed in until they use a link to the new one. Earlier sign-in links stop working.",
    words: ['email', 'new-email'],
    options: userTeamOption,
    async run({ words: [email, next = ''], options }) {
      if (!EMAIL.test(next)) throw new UsageRefused(`"${next}" is not an email address.`);
      const { members, user } = await openUser(open, email, options);
      const changed = await members.changeEmail(user, COMMAND_LINE, next);
      return {
        text: `The email address is now ${changed.email}. ${AFTER_EMAIL}`,
        json: { user: withIsoTimes(changed) },
      };
    },
  },
  {
    name: 'user sign-out',
    about:
      "Ends all of a user's sessions, for example if a device is lost, and what began with sign-in links they made for others. Their own access tokens still work.",
    words: ['email'],
    options: userTeamOption,
    async run({ words: [email], options }) {
      const { sessions, user, teamId } = await openAnyUser(open, email, options);
      const count = (sessions: number) => `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
      const { own: ended, handed } = await sessions.endAll({ email: user.email ?? '', teamId }, COMMAND_LINE);
      const others = handed > 0 ? ` Also ended ${count(handed)} that began with links they made.` : '';
      const elsewhere = options.team === undefined ? '' : ` ${SWITCH_BACK}`;
      return { text: `Ended ${count(ended)} of ${user.email}.${others}${elsewhere}`, json: { ended, handed } };
    },
  },
  {
    name: 'user remove',
    about: 'Removes a user from the team and ends their sessions and tokens. The team keeps its connections.',
    words: ['email'],
    options: { ...userTeamOption, ...yesOption },
    async run({ words: [email], options }) {
      requireYes(options, "This removes the user from the team, and their access tokens can't be restored.");
      const { members, user } = await openUser(open, email, options);
      await members.remove(user.teamId, COMMAND_LINE, user.id);
      return { text: `Removed ${user.email}.`, json: { removed: user.id } };
    },
  },
];
