import { type Routes, useForms } from '../http/index.ts';
import { agentPageRoutes } from './agents/agent-routes.ts';
import { alertPageRoutes } from './alerts/alert-routes.ts';
import { approvalPageRoutes } from './approvals/approval-routes.ts';
import { callPageRoutes } from './calls/call-routes.ts';
import { returnRoutes } from './calls/return-routes.ts';
import type { DashboardContext } from './context.ts';
import { eventPageRoutes } from './events/event-routes.ts';
import { addFrameScript } from './frame-script.ts';
import { homeRoutes } from './home/home-routes.ts';
import { credentialPageRoutes } from './integrations/credential-routes.ts';
import { integrationPageRoutes } from './integrations/integration-routes.ts';
import { createPages, type PageRoutes } from './pages.ts';
import { reportPageRoutes } from './reports/report-routes.ts';
import { requestPageRoutes } from './requests/request-routes.ts';
import { alertSettingsRoutes } from './settings/alerts/alert-settings-routes.ts';
import { auditPageRoutes } from './settings/audit/audit-routes.ts';
import { containmentPageRoutes } from './settings/containment/containment-routes.ts';
import { containedRevokeRoutes } from './settings/containment/revoke-routes.ts';
import { endpointChangeRoutes } from './settings/endpoints/endpoint-change-routes.ts';
import { endpointRoutes } from './settings/endpoints/endpoint-routes.ts';
import { memberPageRoutes } from './settings/members/member-routes.ts';
import { reportSettingsRoutes } from './settings/report/report-settings-routes.ts';
import { sessionPageRoutes } from './settings/sessions/session-routes.ts';
import { teamPageRoutes } from './settings/team/team-routes.ts';
import { accountChangeRoutes } from './settings/telephony/accounts/account-change-routes.ts';
import { accountPageRoutes } from './settings/telephony/accounts/account-routes.ts';
import { eraseRoutes } from './settings/telephony/erase-routes.ts';
import { numberPageRoutes } from './settings/telephony/numbers/number-routes.ts';
import { overviewRoutes } from './settings/telephony/overview-routes.ts';
import { tokenPageRoutes } from './settings/tokens/token-routes.ts';

const SECTIONS: readonly PageRoutes[] = [
  homeRoutes,
  alertPageRoutes,
  approvalPageRoutes,
  integrationPageRoutes,
  credentialPageRoutes,
  requestPageRoutes,
  callPageRoutes,
  returnRoutes,
  reportPageRoutes,
  agentPageRoutes,
  eventPageRoutes,
  teamPageRoutes,
  memberPageRoutes,
  tokenPageRoutes,
  sessionPageRoutes,
  reportSettingsRoutes,
  alertSettingsRoutes,
  auditPageRoutes,
  containmentPageRoutes,
  containedRevokeRoutes,
  endpointRoutes,
  endpointChangeRoutes,
  overviewRoutes,
  accountPageRoutes,
  accountChangeRoutes,
  numberPageRoutes,
  eraseRoutes,
];

/** Adds all pages, section by section. */
export const dashboardRoutes =
  (context: DashboardContext): Routes =>
  (server) => {
    useForms(server);
    addFrameScript(server);
    const pages = createPages(server, context);
    for (const addRoutes of SECTIONS) addRoutes(pages, context);
  };
