import type { FastifySchema } from 'fastify';
import type { Access } from './access.ts';

/** What a group of routes has in common: who may call them, and their heading in the API's description. */
export const routeOptions =
  (access: Access, tag: string) =>
  <Schema extends FastifySchema>(schema: Schema) => ({ config: { access }, schema: { tags: [tag], ...schema } });

/** The same route, with a body that can be left out. */
export const withOptionalBody = <Route extends { config: object }>(route: Route) => ({
  ...route,
  config: { ...route.config, optionalBody: true },
});
