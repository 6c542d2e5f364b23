import type { FastifyInstance, HTTPMethods } from 'fastify';
import { methodNotAllowed } from './errors.ts';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Known path, other method: 405 with `Allow`. HEAD is one of the others unless a route offers it (`exposeHeadRoute`), so
 * that it never runs a handler with effects.
 */
export const createMethodTable = (server: FastifyInstance) => {
  const taken = new Map<string, Set<string>>();
  let complete = false;

  server.addHook('onRoute', ({ url, method }) => {
    if (complete) return;
    const methods = taken.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    taken.set(url, methods);
  });

  return {
    methodsOf: (url: string): string[] => [...(taken.get(url) ?? [])].sort(),
    /** The last registration of all. */
    refuseOtherMethods(): void {
      complete = true;
      for (const [url, methods] of taken) {
        const others = METHODS.filter((method) => !methods.has(method));
        if (others.length === 0 || url.includes('*')) continue;
        const allow = [...methods].sort().join(', ');
        server.route({
          method: others,
          url,
          schema: { hide: true },
          config: { access: 'anyone' },
          onRequest: async () => {
            throw methodNotAllowed(allow);
          },
          handler: () => undefined,
        });
      }
    },
  };
};
