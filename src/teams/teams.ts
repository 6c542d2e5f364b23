import type { Routes } from '../http/index.ts';
import { handlePruneAudit, pruneAudit } from './audit/prune-audit.job.ts';
import { createAudit } from './audit-reading/audit.ts';
import { auditRoutes } from './audit-reading/audit-routes.ts';
import type { TeamsContext } from './context.ts';
import { createErasure } from './erasure/erasure.ts';
import type { TeamEraser } from './erasure/team-eraser.ts';
import { handleMailInvitation, mailInvitation } from './links/mail-invitation.job.ts';
import { handleMailSignInLink, mailSignInLink } from './links/mail-sign-in-link.job.ts';
import { memberRoutes } from './members/member-routes.ts';
import { createMembers } from './members/members.ts';
import { createAdmitOperator } from './operator/admit-operator.ts';
import { createConnectSessions } from './operator/connect-sessions.ts';
import { customerUserRoutes } from './operator/customer-user-routes.ts';
import { createCustomerUsers } from './operator/customer-users.ts';
import { createCustomers } from './operator/customers.ts';
import { createAdmitOutsideToken } from './outside/admit-outside-token.ts';
import { createOutsideSignIn } from './outside/outside-sign-in.ts';
import { outsideSignInRoutes } from './outside/outside-sign-in-routes.ts';
import { createCallers, type FindGrant } from './sessions/callers.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { createSessions } from './sessions/sessions.ts';
import { createDoor } from './sign-in/door.ts';
import { type OnSignOut, signInRoutes } from './sign-in/sign-in-routes.ts';
import { teamChoiceRoutes } from './sign-in/team-choice-routes.ts';
import { createTeamRegister } from './team/team-register.ts';
import { teamRoutes } from './team/team-routes.ts';
import {
  handlePruneCredentials,
  PRUNE_CREDENTIALS_EVERY_MS,
  pruneCredentials,
} from './tokens/prune-credentials.job.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { createTokens } from './tokens/tokens.ts';

const PRUNE_AUDIT_EVERY_MS = 3_600_000;

/** Registers the jobs for teams, and returns their routes, and the use cases for routes, commands, and pages. */
export const createTeams = ({
  onSignOut,
  findGrant,
  ...given
}: Omit<TeamsContext, 'forgetCallers'> & { onSignOut: OnSignOut; findGrant: FindGrant }) => {
  const { jobs, identity } = given;
  const context: TeamsContext = { ...given, forgetCallers: () => callers.forget() };
  const callers = createCallers(
    context,
    identity && createAdmitOutsideToken(context, identity),
    createAdmitOperator(context),
    findGrant,
  );
  const door = createDoor(context.url, callers);
  const team = createTeamRegister(context);
  const members = createMembers(context);
  const tokens = createTokens(context);
  const sessions = createSessions(context);
  const audit = createAudit(context);
  const customers = createCustomers(context, team);
  const connectSessions = createConnectSessions(context);

  jobs.handle(mailSignInLink, handleMailSignInLink(context));
  jobs.handle(mailInvitation, handleMailInvitation(context));
  jobs.prune(pruneCredentials, { everyMs: PRUNE_CREDENTIALS_EVERY_MS }, handlePruneCredentials(context));
  jobs.prune(pruneAudit, { everyMs: PRUNE_AUDIT_EVERY_MS }, handlePruneAudit(context));

  const routes: Routes[] = [
    teamRoutes(team),
    memberRoutes(members),
    tokenRoutes(tokens),
    sessionRoutes(sessions),
    auditRoutes(audit),
    customerUserRoutes(createCustomerUsers(context)),
    signInRoutes(context, door, sessions, onSignOut),
    teamChoiceRoutes(context, door),
  ];
  if (identity?.client)
    routes.push(outsideSignInRoutes(context, door, createOutsideSignIn(context, identity, identity.client)));

  return {
    routes,
    callers,
    sessionCookie: door.session.name,
    team,
    members,
    tokens,
    sessions,
    audit,
    customers,
    connectSessions,
    /** Creates the use cases that erase teams. `erasers` erase the data of other parts of the service. Call once. */
    createErasure: (erasers: readonly TeamEraser[]) => createErasure(context, erasers),
  };
};

export type Teams = ReturnType<typeof createTeams>;
