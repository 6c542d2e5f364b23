import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type FastifyRequest, fastify, type RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { INTERFACE_VERSION } from './response-headers.ts';

export type ApiBrowserSettings = {
  url: string;
  sessionCookie: string;
  /** What is documented, in this order. */
  routes: readonly RouteOptions[];
  /** Schemas that routes refer to. */
  shared: readonly TSchema[];
};

type Answer = { status: number; headers: Record<string, string>; body: Buffer };

const PASSED_ON = ['if-none-match', 'if-modified-since', 'range'] as const;
const PASSED_BACK = [
  'accept-ranges',
  'cache-control',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'location',
];

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description });

const describeService = ({ url, sessionCookie }: ApiBrowserSettings) => ({
  openapi: '3.1.1',
  info: {
    title: 'Patchbay',
    version: INTERFACE_VERSION,
    description: 'Self-hosted integrations and webhooks for teams.',
  },
  servers: [{ url }],
  components: {
    securitySchemes: {
      accessToken: bearer('An access token `pb_…`, a token of the identity provider, or the admin token'),
      session: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: sessionCookie,
        description: 'A signed-in session; state-changing requests carry `x-csrf-token`',
      },
      cron: bearer('`CRON_SECRET`'),
      debug: bearer('`DEBUG_TOKEN`'),
      metrics: bearer('`METRICS_TOKEN`'),
    },
  },
});

const pickText = (headers: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));

/**
 * The description of the API and the pages to browse it, from a server of their own that listens nowhere. It knows the
 * routes by their schemas alone, and is asked through memory: its answers go out as every other does, with our headers.
 */
export const openApiBrowser = async (settings: ApiBrowserSettings) => {
  const server = fastify({ logger: false, exposeHeadRoutes: false });
  // Nobody calls these routes here: there is nothing to validate.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  for (const schema of settings.shared) server.addSchema(schema);
  await server.register(swagger, {
    openapi: describeService(settings),
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `def-${index}`) },
  });
  await server.register(swaggerUi, { routePrefix: '/docs', staticCSP: false, uiConfig: { tryItOutEnabled: true } });
  for (const { method, url, schema } of settings.routes)
    server.route({ method, url, ...(schema && { schema }), handler: () => undefined });
  await server.ready();

  return {
    document: JSON.stringify(server.swagger()),
    async ask({ method, url, headers }: FastifyRequest): Promise<Answer> {
      const answer = await server.inject({
        method: method === 'HEAD' ? 'HEAD' : 'GET',
        url,
        headers: pickText(headers, PASSED_ON),
      });
      return {
        status: answer.statusCode,
        headers: pickText(answer.headers, PASSED_BACK),
        body: answer.rawPayload,
      };
    },
  };
};
