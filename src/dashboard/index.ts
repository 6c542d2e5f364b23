/** The web pages. */
export { dashboardRoutes } from './routes.ts';
