/** For the operator: health, readiness, metrics, the state of the database, and the doctor. */
export { debugRoutes } from './debug-routes.ts';
export { doctorCommand } from './doctor-command.ts';
export { healthRoutes } from './health-routes.ts';
export { createMetrics } from './metrics.ts';
export { metricsRoutes } from './metrics-routes.ts';
export { migrateCommand } from './migrate-command.ts';
export { pauseCommands } from './pause-commands.ts';
