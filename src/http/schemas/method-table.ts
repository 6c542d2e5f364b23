import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { Refusal } from '../../platform/index.ts';
import type { Access } from '../contract/access.ts';
import { methodNotAllowed, notFound } from '../errors.ts';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

type Path = { pattern: RegExp; methods: Set<string>; access: Access; hint?: string };

const toPattern = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.+*?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

/**
 * A known path with another method is a 405 with `Allow`. HEAD is refused unless a route offers it (`exposeHeadRoute`),
 * so that it never runs a handler with side effects. A path that hides is a 404, whatever the method.
 */
export const createMethodTable = (server: FastifyInstance, isHidden: (access: Access) => boolean) => {
  const paths = new Map<string, Path>();
  let complete = false;

  server.addHook('onRoute', ({ url, method, config }) => {
    if (complete) return;
    const fresh: Path = { pattern: toPattern(url), methods: new Set(), access: config?.access ?? 'anyone' };
    const path = paths.get(url) ?? fresh;
    for (const one of [method].flat()) path.methods.add(one);
    if (config?.insteadHint) path.hint = config.insteadHint;
    paths.set(url, path);
  });

  const refusalAt = ({ methods, access, hint }: Path): Refusal =>
    isHidden(access) ? notFound() : methodNotAllowed([...methods].sort().join(', '), hint);

  return {
    /** Empty for a path that hides. */
    methodsOf(url: string): string[] {
      const path = paths.get(url);
      return path && !isHidden(path.access) ? [...path.methods].sort() : [];
    },
    /** For methods that the router doesn't know at all, such as TRACE. */
    refusalOf(address: string): Refusal {
      const [wanted = ''] = address.split('?');
      const path = paths.values().find(({ pattern }) => pattern.test(wanted));
      return path ? refusalAt(path) : notFound();
    },
    /** Must be the last registration. */
    refuseOtherMethods(): void {
      complete = true;
      for (const [url, path] of paths) {
        const others = METHODS.filter((method) => !path.methods.has(method));
        // The files of the API browser.
        if (others.length === 0 || (url.includes('*') && !url.startsWith('/api/'))) continue;
        server.route({
          method: others,
          url,
          schema: { hide: true },
          config: { access: 'anyone' },
          onRequest: async () => {
            throw refusalAt(path);
          },
          handler: () => undefined,
        });
      }
    },
  };
};
