/** The web pages: what a person sees. */
export { dashboardRoutes } from './routes.ts';
export { DASHBOARD_STYLES } from './styles.ts';
