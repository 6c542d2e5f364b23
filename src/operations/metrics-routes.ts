import type { Routes } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import type { Metrics } from './metrics.ts';

export const metricsRoutes =
  ({ registry }: Metrics): Routes =>
  (server) => {
    server.get(
      '/metrics',
      {
        config: { access: { door: 'metrics', whenUnset: 'hide' } },
        schema: {
          tags: ['operations'],
          summary: 'Metrics for Prometheus',
          response: {
            200: { description: 'In the text format', content: { 'text/plain': { schema: Type.String() } } },
          },
        },
      },
      async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
    );
  };
