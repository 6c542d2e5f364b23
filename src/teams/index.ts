/** Teams, users and everything that lets somebody in: access tokens, sessions, sign-in links, outside identities, and the audit. */
export type { AccessToken } from './access-token-store.ts';
export {
  addAccessToken,
  createAccessToken,
  getTokenFor,
  listTokensFor,
  type MadeToken,
  revokeAccessToken,
  TOKEN_DAYS,
} from './access-tokens.ts';
export { admitOutsideUser } from './admit-outside-user.ts';
export { auditRoutes } from './audit-routes.ts';
export type { AuditActor, AuditEvent } from './audit-store.ts';
export { type Callers, createCallers } from './callers.ts';
export { changeTeam } from './change-team.ts';
export { type OpenTeams, pickTeam, type TeamCommandDependencies, teamOption } from './command-support.ts';
export { ACCESS_TOKEN_SHAPE } from './credential.ts';
export { endOtherSessions, endSession } from './end-session.ts';
export { ensureFirstTeam, findUntouchedAdmin } from './ensure-first-team.ts';
export { memberUnknown, sessionUnknown } from './errors.ts';
export { createIdentityProvider } from './identity-provider.ts';
export { createInviteByMail, type InviteByMail } from './invite-by-mail.ts';
export { listAudit } from './list-audit.ts';
export { listMembers } from './list-members.ts';
export { listOwnSessions } from './list-own-sessions.ts';
export { toLocalPath } from './local-path.ts';
export { handleMailInvitation, mailInvitation } from './mail-invitation.job.ts';
export { handleMailSignInLink, mailSignInLink } from './mail-sign-in-link.job.ts';
export { InvitationBody, MemberChangeBody, memberRoutes } from './member-routes.ts';
export { changeMember, type Invited, inviteMember, removeMember } from './members.ts';
export { listMemberships, type Membership } from './membership-store.ts';
export { createOutsideSignIn } from './outside-sign-in.ts';
export { outsideSignInRoutes } from './outside-sign-in-routes.ts';
export { handlePruneAudit, PRUNE_AUDIT_EVERY_MS, pruneAudit } from './prune-audit.job.ts';
export { handlePruneCredentials, PRUNE_EVERY_MS, pruneCredentials } from './prune-credentials.job.ts';
export {
  type AuditEntry,
  type AuditLog,
  actorOf,
  COMMAND_LINE,
  createAuditLog,
  recordAudit,
  recordAuditOnceADay,
  SERVICE,
} from './record-audit.ts';
export { sessionRoutes } from './session-routes.ts';
export { hasSession, type Session } from './session-store.ts';
export { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from './sign-in-link.ts';
export { signInRoutes } from './sign-in-routes.ts';
export { BusinessHours, checkBusinessHours, DAYS, type Team, TeamSettings } from './team.ts';
export { CHOOSE_TEAM_PATH, SWITCH_TEAM_PATH, teamChoiceRoutes } from './team-choice-routes.ts';
export { teamCommands } from './team-commands.ts';
export type { TeamLimits } from './team-limits.ts';
export { teamRoutes } from './team-routes.ts';
export { getFirstTeamId, getTeam, listRetentionsAfter, listTeamsAfter } from './team-store.ts';
export { tokenCommands } from './token-commands.ts';
export { NewTokenBody, tokenRoutes } from './token-routes.ts';
export { userCommands } from './user-commands.ts';
export { getUser, listAdminAddresses, listUserNames, type User } from './user-store.ts';
