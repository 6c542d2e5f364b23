import { type Routes, useForms } from '../http/index.ts';
import { callPages } from './calls/routes.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { homePages } from './home/routes.ts';
import { integrationPages } from './integrations/routes.ts';
import { reportPages } from './reports/routes.ts';
import { settingsPages } from './settings/routes.ts';
import { telephonyPages } from './settings/telephony/routes.ts';

/** Every page, section by section. */
export const dashboardRoutes =
  (dependencies: DashboardDependencies): Routes =>
  async (server) => {
    useForms(server);
    for (const addPages of [homePages, integrationPages, callPages, reportPages, settingsPages, telephonyPages])
      await addPages(dependencies)(server);
  };
