/** Teams, users and everything that lets somebody in: access tokens, sessions, sign-in links, outside identities, and the audit. */
export { addAccessToken, createAccessToken, type MadeToken } from './access-tokens.ts';
export { admitOutsideUser } from './admit-outside-user.ts';
export { auditRoutes } from './audit-routes.ts';
export type { AuditActor } from './audit-store.ts';
export { type Callers, createCallers } from './callers.ts';
export { type OpenTeams, pickTeam, type TeamCommandDependencies, teamOption } from './command-support.ts';
export { ACCESS_TOKEN_SHAPE } from './credential.ts';
export { ensureFirstTeam, findUntouchedAdmin } from './ensure-first-team.ts';
export { createIdentityProvider } from './identity-provider.ts';
export { toLocalPath } from './local-path.ts';
export { memberRoutes } from './member-routes.ts';
export { handlePruneCredentials, PRUNE_EVERY_MS, pruneCredentials } from './prune-credentials.job.ts';
export {
  type AuditEntry,
  type AuditLog,
  actorOf,
  COMMAND_LINE,
  createAuditLog,
  recordAudit,
  SERVICE,
} from './record-audit.ts';
export { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from './sign-in-link.ts';
export { signInRoutes } from './sign-in-routes.ts';
export { BusinessHours, checkBusinessHours, DAYS, type Team } from './team.ts';
export { teamCommands } from './team-commands.ts';
export { teamRoutes } from './team-routes.ts';
export { getFirstTeamId, getTeam, listRetentionsAfter, listTeamsAfter } from './team-store.ts';
export { tokenCommands } from './token-commands.ts';
export { tokenRoutes } from './token-routes.ts';
export { userCommands } from './user-commands.ts';
export { getUser, listAdminAddresses, type User } from './user-store.ts';
