import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';

const isForCallers = ({ access }: FastifyContextConfig): boolean =>
  access === 'member' || access === 'admin' || access === 'anyone_or_caller';

/** Lists the credentials that a route accepts, the most common one first. */
export const securityOf = (config: FastifyContextConfig): Record<string, string[]>[] => {
  const { access, connectSession, bearerOnly } = config;
  if (typeof access === 'object') return [{ [access.door]: [] }];
  if (!isForCallers(config)) return [];
  return [
    ...(access === 'anyone_or_caller' ? [{}] : []),
    { accessToken: [] },
    ...(bearerOnly ? [] : [{ session: [] }]),
    ...(connectSession ? [{ connectSession: [] }] : []),
    { operator: [] },
  ];
};

const customerHeader = (name: string, description: string) => ({
  ...{ name, in: 'header' as const, required: false, description },
  schema: { type: 'string' as const, minLength: 1, maxLength: 200 },
});

/** Headers for the operator token, on routes where it acts as an admin of a team. */
export const CUSTOMER_HEADERS = {
  PatchbayTeam: customerHeader(
    'Patchbay-Team',
    'The key of the team to act in. Required with the operator token, and refused with any other credential.',
  ),
  PatchbayUser: customerHeader(
    'Patchbay-User',
    'With the operator token only: the key of the user to act for. Created on first use.',
  ),
};

type Described = { properties?: Record<string, { default?: unknown }>; required?: readonly string[] };

/** Makes fields with a default optional in a query. The schema requires them, because the handler always gets them. */
const asSent = (query: unknown): unknown => {
  const { properties = {}, required = [] } = query as Described;
  return { ...(query as Described), required: required.filter((name) => properties[name]?.default === undefined) };
};

/** Returns a route's schema as callers see it. */
export const documentSchema = ({ schema }: RouteOptions): FastifySchema | undefined =>
  schema?.querystring ? { ...schema, querystring: asSent(schema.querystring) } : schema;

const REST_OF_PATH = {
  ...{ name: 'path', in: 'path' as const, required: true, description: 'The rest of the path, with its slashes' },
  schema: { type: 'string' as const },
};

/** Names an operation: `PATCH /api/members/:id` → `patchMembersById`. */
const nameOperation = (method: string, url: string): string => {
  const words = url.split('/').filter((part) => part !== '' && part !== 'api');
  const named = words.map((part) => part.replace('*', ':path').replace(':', 'by-'));
  return [method.toLowerCase(), ...named]
    .join('-')
    .replace(/[-.]([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
};

const CALLERS = {
  anyone: 'Needs no credential.',
  anyone_or_caller: 'A credential can be left out.',
  signed: 'The sender signs the request.',
  member: 'For members and admins of the team.',
  admin: 'For admins of the team.',
} as const;

const describeCaller = ({ access = 'anyone' }: FastifyContextConfig): string =>
  typeof access === 'object' ? 'For the operator.' : CALLERS[access];

type Operation = {
  operationId?: string;
  description?: string;
  parameters?: object[];
  requestBody?: { required?: boolean };
};
export type Paths = Record<string, Record<string, Operation>>;

/** Adds what the schemas can't say, such as which bodies are optional. (The generator marks every body as required.) */
export const completePaths = (paths: Paths, routes: readonly RouteOptions[]): void => {
  const headers = Object.keys(CUSTOMER_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  for (const { url, method, config = {} } of routes) {
    const operations = paths[url.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')] ?? {};
    for (const name of [method].flat()) {
      const operation = operations[name.toLowerCase()];
      if (!operation) continue;
      const { description, parameters = [], requestBody } = operation;
      const added = [...(url.endsWith('*') ? [REST_OF_PATH] : []), ...(isForCallers(config) ? headers : [])];
      // Make a new object, because all methods of a route share the old one.
      operations[name.toLowerCase()] = {
        operationId: nameOperation(name, url),
        ...operation,
        description: [description, describeCaller(config)].filter(Boolean).join(' '),
        ...(parameters.length + added.length > 0 && { parameters: [...parameters, ...added] }),
        ...(requestBody && { requestBody: { ...requestBody, ...(config.optionalBody && { required: false }) } }),
      };
    }
  }
  // Insert every path again, changed or not, so that their order stays the same.
  for (const [path, operations] of Object.entries(paths)) {
    delete paths[path];
    paths[path.replace('{*}', '{path}')] = operations;
  }
};
