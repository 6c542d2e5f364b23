/** The web pages of Patchbay. */
export { dashboardRoutes } from './dashboard-routes.ts';
export { NAVIGATION } from './frame.ts';
export { createPublicFrame } from './public-frame.ts';
export { DASHBOARD_STYLES } from './styles.ts';
