import type { Routes } from '../../http/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { auditPages } from './audit/routes.ts';
import { memberPages } from './members/routes.ts';
import { reportSettingsPages } from './report/routes.ts';
import { slackPages } from './report/slack-routes.ts';
import { sessionPages } from './sessions/routes.ts';
import { teamPages } from './team/routes.ts';
import { tokenPages } from './tokens/routes.ts';

/** The pages of the settings, tab by tab. */
export const settingsPages =
  (dependencies: DashboardDependencies): Routes =>
  async (server) => {
    const tabs = [teamPages, memberPages, tokenPages, sessionPages, reportSettingsPages, slackPages, auditPages];
    for (const addPages of tabs) await addPages(dependencies)(server);
  };
