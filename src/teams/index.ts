/** Teams, users and every way in: access tokens, sessions, sign-in links, outside identities. Also the audit log. */

export { auditRoutes } from './audit/audit-routes.ts';
export { listAudit } from './audit/list-audit.ts';
export { handlePruneAudit, PRUNE_AUDIT_EVERY_MS, pruneAudit } from './audit/prune-audit.job.ts';
export { type OpenTeams, pickTeam, type TeamCommandDependencies, teamOption } from './commands/command-support.ts';
export { teamCommands } from './commands/team-commands.ts';
export { tokenCommands } from './commands/token-commands.ts';
export { userCommands } from './commands/user-commands.ts';
export { memberUnknown, sessionUnknown } from './errors.ts';
export { createInviteByMail, type InviteByMail } from './links/invite-by-mail.ts';
export { handleMailInvitation, mailInvitation } from './links/mail-invitation.job.ts';
export { handleMailSignInLink, mailSignInLink } from './links/mail-sign-in-link.job.ts';
export { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from './links/sign-in-link.ts';
export { listMembers } from './members/list-members.ts';
export { InvitationBody, MemberChangeBody, memberRoutes } from './members/member-routes.ts';
export { changeMember, type Invited, inviteMember, removeMember } from './members/members.ts';
export { admitOutsideUser } from './outside/admit-outside-user.ts';
export { createIdentityProvider } from './outside/identity-provider.ts';
export { createOutsideSignIn } from './outside/outside-sign-in.ts';
export { outsideSignInRoutes } from './outside/outside-sign-in-routes.ts';
export type { AccessToken } from './records/access-token-store.ts';
export type { AuditActor, AuditEvent } from './records/audit-store.ts';
export { ACCESS_TOKEN_SHAPE } from './records/credential.ts';
export { isStillIn, type Visitor } from './records/is-still-in.ts';
export { listMemberships, type Membership } from './records/membership-store.ts';
export {
  type AuditEntry,
  type AuditLog,
  actorOf,
  COMMAND_LINE,
  createAuditLog,
  recordAudit,
  recordAuditOnceADay,
  SERVICE,
} from './records/record-audit.ts';
export { hasSession, type Session } from './records/session-store.ts';
export { BusinessHours, checkBusinessHours, DAYS, type Team, TeamSettings } from './records/team.ts';
export type { TeamLimits } from './records/team-limits.ts';
export { getFirstTeamId, getTeam, listRetentionsAfter, listTeamsAfter } from './records/team-store.ts';
export { getUser, listAdminAddresses, listUserNames, type User } from './records/user-store.ts';
export { type Callers, createCallers } from './sessions/callers.ts';
export { endOtherSessions, endSession } from './sessions/end-session.ts';
export { listOwnSessions } from './sessions/list-own-sessions.ts';
export { createOpenStreams } from './sessions/open-streams.ts';
export { sessionRoutes } from './sessions/session-routes.ts';
export { toLocalPath } from './sign-in/local-path.ts';
export { signInRoutes } from './sign-in/sign-in-routes.ts';
export { CHOOSE_TEAM_PATH, SWITCH_TEAM_PATH, teamChoiceRoutes } from './sign-in/team-choice-routes.ts';
export { changeTeam } from './team/change-team.ts';
export { ensureFirstTeam, findUntouchedAdmin } from './team/ensure-first-team.ts';
export { teamRoutes } from './team/team-routes.ts';
export {
  addAccessToken,
  createAccessToken,
  getTokenFor,
  listTokensFor,
  type MadeToken,
  revokeAccessToken,
  TOKEN_DAYS,
} from './tokens/access-tokens.ts';
export { handlePruneCredentials, PRUNE_EVERY_MS, pruneCredentials } from './tokens/prune-credentials.job.ts';
export { NewTokenBody, tokenRoutes } from './tokens/token-routes.ts';
