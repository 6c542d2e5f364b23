import { type Command, printTable, readAll, toIso, toIsoOrNull, UsageRefused } from '../../platform/index.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/sign-in-link.ts';
import { listMembers } from '../members/list-members.ts';
import { changeMember, inviteMember, removeMember } from '../members/members.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { COMMAND_LINE, recordAudit } from '../records/record-audit.ts';
import { getUserForUpdate, type User } from '../records/user-store.ts';
import {
  type OpenTeams,
  pickAnyUser,
  pickTeam,
  pickUser,
  readName,
  teamOption,
  userTeamOption,
} from './command-support.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

const linkText = ({ address, expiresAt }: SignInLink): string =>
  `${address}\nThis link works once and expires at ${toIso(expiresAt)}.`;

const linkJson = (link: SignInLink) => ({ ...link, expiresAt: toIso(link.expiresAt) });

const userJson = (user: User) => ({
  ...user,
  createdAt: toIso(user.createdAt),
  signedInAt: toIsoOrNull(user.signedInAt),
});

const readRole = (role: string | boolean | undefined): 'admin' | 'member' => {
  if (role === 'member') return 'member';
  if (role === 'admin') return 'admin';
  throw new UsageRefused('The role must be admin or member.');
};

export const userCommands = (open: OpenTeams): Command[] => [
  {
    name: 'user list',
    about: "Lists a team's users.",
    options: teamOption,
    async run({ options }) {
      const teams = await open();
      const teamId = await pickTeam(teams, options['team']);
      const users = await readAll((query) => listMembers(teams.database, teamId, query));
      const rows = users.map(({ id, email, role, signedInAt }) => [
        id,
        email ?? '',
        role,
        toIsoOrNull(signedInAt) ?? 'never',
      ]);
      return { text: printTable(['id', 'email', 'role', 'last sign-in'], rows), json: { users: users.map(userJson) } };
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
      const name = typeof options['name'] === 'string' ? readName(options['name'], '--name') : null;
      const teams = await open();
      const invited = { email, name, role: options['role'] === undefined ? undefined : readRole(options['role']) };
      const { user, link } = await inviteMember(teams, await pickTeam(teams, options['team']), COMMAND_LINE, invited);
      return {
        text: `Added ${user.email} as ${user.role}. Sign in with:\n${linkText(link)}`,
        json: { user: userJson(user), link: linkJson(link) },
      };
    },
  },
  {
    name: 'user link',
    about: 'Prints a new sign-in link for a user. It works once and expires in a day. Earlier links stop working.',
    words: ['email'],
    options: userTeamOption,
    async run({ words: [email], options }) {
      const teams = await open();
      const user = await pickAnyUser(teams, email, options['team']);
      const link = await teams.database.transaction(async (tx) => {
        await getUserForUpdate(tx, user.teamId, user.id);
        await deleteUnusedLinks(tx, holderOf(user));
        await recordAudit(teams, tx, user.teamId, COMMAND_LINE, { action: 'link.create', target: user.id });
        return makeSignInLink(teams, tx, holderOf(user), LINK_LIFETIME_MS.asked, 'asked');
      });
      return { text: linkText(link), json: { link: linkJson(link) } };
    },
  },
  {
    name: 'user role',
    about: "Changes a user's role to admin or member.",
    words: ['email', 'role'],
    options: userTeamOption,
    async run({ words: [email, role], options }) {
      const teams = await open();
      const user = await pickUser(teams, email, options['team']);
      const changed = await changeMember(teams, user.teamId, COMMAND_LINE, user.id, { role: readRole(role) });
      return { text: `The role of ${changed.email} is now ${changed.role}.`, json: { user: userJson(changed) } };
    },
  },
  {
    name: 'user remove',
    about: 'Removes a user from the team and ends their sessions and tokens. The team keeps its connections.',
    words: ['email'],
    options: userTeamOption,
    async run({ words: [email], options }) {
      const teams = await open();
      const user = await pickUser(teams, email, options['team']);
      await removeMember(teams, user.teamId, COMMAND_LINE, user.id);
      return { text: `Removed ${user.email}.`, json: { removed: user.id } };
    },
  },
];
