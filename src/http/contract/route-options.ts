import type { FastifySchema } from 'fastify';
import type { Access } from './access.ts';
import type { RouteRight } from './restriction.ts';

/** Makes the options that a group of routes shares: who may call them, and their heading in the API's description. */
export const routeOptions =
  (access: Access, tag: string) =>
  <Schema extends FastifySchema>(schema: Schema) => ({ config: { access }, schema: { tags: [tag], ...schema } });

/** Lets restricted tokens with this right use a route. */
export const withRight = <Route extends { config: object }>(right: RouteRight, route: Route) => ({
  ...route,
  config: { ...route.config, right },
});

/** Lets callers leave out the body of a route. */
export const withOptionalBody = <Route extends { config: object }>(route: Route) => ({
  ...route,
  config: { ...route.config, optionalBody: true },
});
