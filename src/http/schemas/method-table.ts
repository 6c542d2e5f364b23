import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Refusal } from '../../platform/index.ts';
import type { Access } from '../contract/access.ts';
import { methodNotAllowed, notFound } from '../errors.ts';

type Path = { pattern: RegExp; methods: Set<string>; access: Access; hint?: string };

const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace('*', '.*')}$`,
  );

/** The files of the API browser. Which of them exist, only it knows. */
const isFolder = (url: string): boolean => url.includes('*') && !url.startsWith('/api/');

/**
 * A known path with another method is a 405 with `Allow`. HEAD is refused unless a route offers it (`exposeHeadRoute`),
 * so that it never runs a handler with side effects. A path that hides is a 404, whatever the method.
 */
export const createMethodTable = (server: FastifyInstance, isHidden: (access: Access) => boolean) => {
  const paths = new Map<string, Path>();

  server.addHook('onRoute', ({ url, method, config }) => {
    if (isFolder(url)) return;
    const fresh: Path = { pattern: toPattern(url), methods: new Set(), access: config?.access ?? 'anyone' };
    const path = paths.get(url) ?? fresh;
    for (const one of [method].flat()) path.methods.add(one);
    if (config?.insteadHint) path.hint = config.insteadHint;
    paths.set(url, path);
  });

  /** Undefined for a path that hides, too. */
  const findPath = (address: string): Path | undefined => {
    const [wanted = ''] = address.split('?');
    const path = paths.get(wanted) ?? paths.values().find(({ pattern }) => pattern.test(wanted));
    return path && !isHidden(path.access) ? path : undefined;
  };

  return {
    /** Those that the path accepts. None for a path that is unknown or hides. */
    methodsAt: ({ url }: FastifyRequest): string[] => [...(findPath(url)?.methods ?? [])].sort(),
    /** For a request that no route takes. */
    refusalOf({ url }: FastifyRequest): Refusal {
      const path = findPath(url);
      return path ? methodNotAllowed([...path.methods].sort().join(', '), path.hint) : notFound();
    },
  };
};
