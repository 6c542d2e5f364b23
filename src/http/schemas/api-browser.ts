import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { fastify, type RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { DescribedRequests } from '../contract/described-requests.ts';
import type { DocsGroup } from '../pages/docs-page.ts';
import { INTERFACE_VERSION } from '../pages/response-headers.ts';
import { createStaticFile, type StaticFile } from '../pages/static-file.ts';
import { CUSTOMER_HEADERS, completePaths, documentSchema, type Paths } from './document-route.ts';
import { nameSchemas } from './name-schemas.ts';

type ApiBrowserSettings = {
  url: string;
  sessionCookie: string;
  /** The documented routes, in this order. */
  routes: readonly RouteOptions[];
  /** Schemas that routes refer to. */
  shared: readonly TSchema[];
  /** The requests that we send. */
  requests: DescribedRequests;
};

const DOCUMENTS = ['/docs/json', '/docs/yaml'];

/** Lists all files of the API browser. Other paths aren't looked up, because every result is kept in memory. */
const listPaths = (): Set<string> => {
  const folder = new URL('static/', pathToFileURL(createRequire(import.meta.url).resolve('@fastify/swagger-ui')));
  return new Set([...DOCUMENTS, ...readdirSync(folder).map((name) => `/docs/static/${name}`)]);
};

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description });

const TAGS = {
  team: 'The team, its members, their access tokens and sessions, and the audit log',
  integrations: "Connected accounts, and their providers' APIs through the proxy",
  telephony: 'Telephony accounts and numbers, and how calls are answered',
  calls: 'Calls and recordings',
  reports: 'Weekly reports, and where they are posted',
  containments: 'Stopping what may have leaked',
  events: 'What happened, where it is sent, and alerts about it',
  operator: "For the operator's own product: its customers' teams, users, and events",
  webhooks: 'Where providers send their webhooks',
  operations: 'Health, metrics, and the state of the database',
} as const;

const describeService = ({ url, sessionCookie }: ApiBrowserSettings) => ({
  openapi: '3.1.1',
  info: {
    title: 'Patchbay',
    version: INTERFACE_VERSION,
    description:
      'Self-hosted integrations and phone calls for teams. With the operator token, add a `Patchbay-Team` header to act as an admin of that team, and `Patchbay-User` to name one of its users.',
    contact: { name: 'The operator of this server', url },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  servers: [{ url: '{origin}', variables: { origin: { default: url, description: 'Where Patchbay runs' } } }],
  components: {
    parameters: CUSTOMER_HEADERS,
    securitySchemes: {
      accessToken: bearer(
        'An access token (`pb_…`), a token from the identity provider, or the value of `PATCHBAY_ADMIN_TOKEN`, if that is set',
      ),
      session: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: sessionCookie,
        description: 'A signed-in session. State-changing requests also need `x-csrf-token`.',
      },
      connectSession: bearer("A connect session (`pbs_…`) of a customer's user"),
      operator: bearer(
        '`PATCHBAY_OPERATOR_TOKEN`. Outside of `/api/operator`, it acts as an admin of the team that `Patchbay-Team` names.',
      ),
      cron: bearer('`CRON_SECRET`'),
      debug: bearer('`DEBUG_TOKEN`'),
      metrics: bearer('`METRICS_TOKEN`'),
    },
  },
});

type Components = { schemas?: object; parameters?: object };

const withRequests = <Document extends object>(
  document: Document,
  { webhooks, schemas, parameters }: DescribedRequests,
): Document => {
  const { components = {} } = document as { components?: Components };
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...components.schemas, ...schemas },
      parameters: { ...components.parameters, ...parameters },
    },
    webhooks,
  };
};

type Operation = { tags?: readonly string[]; summary?: string };
type Described = {
  tags?: readonly { name: string; description?: string }[];
  paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** Groups operations by tag, in the order of the tags, and then of the paths. */
const groupOperations = ({ tags = [], paths = {} }: Described): DocsGroup[] => {
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { tags: [tag = ''] = [], summary = '' }]) => {
      return { tag, method: method.toUpperCase(), path, summary };
    }),
  );
  const names = new Set([...tags.map(({ name }) => name), ...listed.map(({ tag }) => tag)]);
  return [...names].map((name) => ({
    name,
    description: tags.find((tag) => tag.name === name)?.description ?? null,
    operations: listed.filter(({ tag }) => tag === name),
  }));
};

/**
 * Makes the OpenAPI document and the pages to browse it, with a second server that doesn't listen anywhere. That server
 * only has the schemas of the routes. It's called in memory, and its responses are sent with our own headers.
 */
export const openApiBrowser = async (settings: ApiBrowserSettings) => {
  const server = fastify({ logger: false, exposeHeadRoutes: false });
  // Nobody calls these routes here, so there's nothing to validate.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  for (const schema of settings.shared) server.addSchema(schema);
  await server.register(swagger, {
    openapi: describeService(settings),
    transformObject: (made) => {
      const document = 'openapiObject' in made ? made.openapiObject : made.swaggerObject;
      completePaths((document.paths ?? {}) as Paths, settings.routes);
      return nameSchemas(withRequests(document, settings.requests));
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `def-${index}`) },
  });
  await server.register(swaggerUi, { routePrefix: '/docs', staticCSP: false, uiConfig: { tryItOutEnabled: true } });
  for (const route of settings.routes) {
    const schema = documentSchema(route);
    server.route({ method: route.method, url: route.url, ...(schema && { schema }), handler: () => undefined });
  }
  await server.ready();

  const read = async (path: string): Promise<StaticFile> => {
    const { headers, rawPayload } = await server.inject({ method: 'GET', url: path });
    return createStaticFile(String(headers['content-type']), rawPayload);
  };
  const paths = listPaths();
  const files = new Map<string, Promise<StaticFile>>();
  const document = server.swagger();

  return {
    groups: groupOperations(document as Described),
    document: createStaticFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(document))),
    /** Null if there's no such file. */
    async find(path: string): Promise<StaticFile | null> {
      if (!paths.has(path)) return null;
      const file = files.get(path) ?? read(path);
      files.set(path, file);
      return file;
    },
  };
};
