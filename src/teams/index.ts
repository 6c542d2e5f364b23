/** Teams, users and every way in: access tokens, sessions, sign-in links, outside identities. Also the audit log. */

export { type ListedEvent, listEventsByAction, OTHER_ACTORS } from './audit/audit-list-store.ts';
export type { AuditActor, AuditEvent } from './audit/audit-store.ts';
export {
  type AuditLog,
  actorOf,
  COMMAND_LINE,
  createAuditLog,
  recordAudit,
  recordAuditOnceADay,
  SERVICE,
  sessionActor,
} from './audit/record-audit.ts';
export type { AuditCsv } from './audit-reading/audit-csv.ts';
export type { AuditQuery } from './audit-reading/audit-query.ts';
export { pickTeam, teamOption } from './commands/command-support.ts';
export { teamCommands } from './commands/team-commands.ts';
export { tokenCommands } from './commands/token-commands.ts';
export { userCommands } from './commands/user-commands.ts';
export { findByIdOrKey } from './erasure/erasing-team-store.ts';
export type { TeamEraser, TeamToErase } from './erasure/team-eraser.ts';
export { callerRemoved, sessionUnknown } from './errors.ts';
export { LINK_LIFETIME_MS, makeSignInLink } from './links/make-sign-in-link.ts';
export { ensureFirstTeam, welcomeFirstAdmin } from './members/ensure-first-team.ts';
export type { Invited } from './members/invite-member.ts';
export { InvitationBody, MemberChangeBody } from './members/member-routes.ts';
export { connectSessionRoutes, HOSTED_PAGE } from './operator/connect-session-routes.ts';
export type { ConnectSessions } from './operator/connect-sessions.ts';
export { customerRoutes } from './operator/customer-routes.ts';
export { type AccessToken, getAccessToken, getAccessTokenOfAny, getTokenExpiry } from './records/access-token-store.ts';
export { listAdminAddresses, listProvedAdminAddresses } from './records/admin-store.ts';
export {
  deleteContainedTokens,
  insertContainedTokens,
  listContainedTokens,
} from './records/contained-token-store.ts';
export { ACCESS_TOKEN_SHAPE, csrfTokenOf } from './records/credential.ts';
export { isCustomerKey } from './records/customer-key.ts';
export { holderOf, type Visitor } from './records/holder.ts';
export { listMemberships, type Membership } from './records/membership-store.ts';
export { type IdentitySettings, isAddress } from './records/outside-identity.ts';
export { hasSession, type Session } from './records/session-store.ts';
export {
  BusinessHours,
  checkBusinessHours,
  DAYS,
  FIRST_SETTINGS,
  isNeverOpen,
  type ReportSchedule,
  type Team,
  TeamSettings,
} from './records/team.ts';
export {
  countTeamsAfter,
  countTeamsOfOtherIssuers,
  getFirstTeamId,
  getTeam,
  listRetentionsAfter,
  listTeamKeys,
  listTeamsAfter,
  lockTeam,
  shareTeams,
} from './records/team-store.ts';
export {
  type Beginning,
  type BegunWith,
  begunWith,
  getUser,
  getUserWhoBegan,
  listUserNames,
  lockUserWhoBegan,
  type User,
} from './records/user-store.ts';
export { createExports, MOST_EXPORTED } from './sessions/exports.ts';
export { createOpenStreams } from './sessions/open-streams.ts';
export { refuseDemoted } from './sessions/refuse-demoted.ts';
export { whileStillIn } from './sessions/while-still-in.ts';
export { SWITCH_TEAM_PATH } from './sign-in/team-choice-routes.ts';
export { toLocalPath } from './sign-in/to-local-path.ts';
export { isWithinHours } from './team/is-within-hours.ts';
export { lockAdmin } from './team/lock-caller.ts';
export { createTeams, type Teams } from './teams.ts';
export { isStillIn } from './tokens/is-still-in.ts';
export { type AskedAllow, type AskedRights, METHODS_TO_ALLOW } from './tokens/token-rights.ts';
export { NewTokenBody } from './tokens/token-routes.ts';
export { type MadeToken, TOKEN_DAYS } from './tokens/tokens.ts';
