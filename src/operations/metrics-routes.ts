import type { Routes } from '../http/index.ts';
import type { Metrics } from './metrics.ts';

export const metricsRoutes =
  ({ registry }: Metrics): Routes =>
  (server) => {
    server.get(
      '/metrics',
      {
        config: { access: { door: 'metrics', whenUnset: 'hide' } },
        schema: { tags: ['operations'], summary: 'Metrics for Prometheus', produces: ['text/plain'] },
      },
      async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
    );
  };
