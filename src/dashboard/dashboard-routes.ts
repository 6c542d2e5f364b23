import { type Routes, useForms } from '../http/index.ts';
import { alertRoutes } from './alerts/alert-routes.ts';
import { callRoutes } from './calls/call-routes.ts';
import { returnRoutes } from './calls/return-routes.ts';
import type { DashboardContext } from './context.ts';
import { eventRoutes } from './events/event-routes.ts';
import { addFrameScript } from './frame-script.ts';
import { homeRoutes } from './home/home-routes.ts';
import { credentialRoutes } from './integrations/credential-routes.ts';
import { integrationRoutes } from './integrations/integration-routes.ts';
import { createPages, type PageRoutes } from './pages.ts';
import { reportRoutes } from './reports/report-routes.ts';
import { alertSettingsRoutes } from './settings/alerts/alert-settings-routes.ts';
import { auditRoutes } from './settings/audit/audit-routes.ts';
import { endpointChangeRoutes } from './settings/endpoints/endpoint-change-routes.ts';
import { endpointRoutes } from './settings/endpoints/endpoint-routes.ts';
import { memberRoutes } from './settings/members/member-routes.ts';
import { reportSettingsRoutes } from './settings/report/report-settings-routes.ts';
import { sessionRoutes } from './settings/sessions/session-routes.ts';
import { teamRoutes } from './settings/team/team-routes.ts';
import { accountChangeRoutes } from './settings/telephony/accounts/account-change-routes.ts';
import { accountRoutes } from './settings/telephony/accounts/account-routes.ts';
import { eraseRoutes } from './settings/telephony/erase-routes.ts';
import { numberRoutes } from './settings/telephony/numbers/number-routes.ts';
import { overviewRoutes } from './settings/telephony/overview-routes.ts';
import { tokenRoutes } from './settings/tokens/token-routes.ts';

const SECTIONS: readonly PageRoutes[] = [
  homeRoutes,
  alertRoutes,
  integrationRoutes,
  credentialRoutes,
  callRoutes,
  returnRoutes,
  reportRoutes,
  eventRoutes,
  teamRoutes,
  memberRoutes,
  tokenRoutes,
  sessionRoutes,
  reportSettingsRoutes,
  alertSettingsRoutes,
  auditRoutes,
  endpointRoutes,
  endpointChangeRoutes,
  overviewRoutes,
  accountRoutes,
  accountChangeRoutes,
  numberRoutes,
  eraseRoutes,
];

/** Every page, section by section. */
export const dashboardRoutes =
  (context: DashboardContext): Routes =>
  (server) => {
    useForms(server);
    addFrameScript(server);
    const pages = createPages(server, context);
    for (const addRoutes of SECTIONS) addRoutes(pages, context);
  };
