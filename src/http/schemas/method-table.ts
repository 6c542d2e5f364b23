import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Refusal } from '../../platform/index.ts';
import type { Access } from '../contract/access.ts';
import { methodNotAllowed, notFound } from '../errors.ts';

type Path = { url: string; pattern?: RegExp; methods: Set<string>; access: Access; hint?: string };

const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace('*', '.*')}$`,
  );

/** Makes the pattern when it's first needed, because most processes never look for an unknown path. */
const matches = (path: Path, wanted: string): boolean => {
  path.pattern ??= toPattern(path.url);
  return path.pattern.test(wanted);
};

/** Whether a URL pattern stands for the files under `/docs`. Only their handler knows which files exist. */
const isFolder = (url: string): boolean => url.includes('*') && !url.startsWith('/api/');

/**
 * Refuses a method that a known path doesn't accept: 405 with `Allow`. HEAD is refused, too, unless a route offers it
 * (`exposeHeadRoute`), so that it never runs a handler with side effects. A hidden path is a 404 for every method.
 */
export const createMethodTable = (server: FastifyInstance, isHidden: (access: Access) => boolean) => {
  const paths = new Map<string, Path>();

  server.addHook('onRoute', ({ url, method, config }) => {
    if (isFolder(url)) return;
    const fresh: Path = { url, methods: new Set(), access: config?.access ?? 'anyone' };
    const path = paths.get(url) ?? fresh;
    for (const one of [method].flat()) path.methods.add(one);
    if (config?.insteadHint) path.hint = config.insteadHint;
    paths.set(url, path);
  });

  /** Finds a path. Undefined if it's unknown or hidden. */
  const findPath = (address: string): Path | undefined => {
    const [wanted = ''] = address.split('?');
    const path = paths.get(wanted) ?? paths.values().find((known) => matches(known, wanted));
    return path && !isHidden(path.access) ? path : undefined;
  };

  return {
    /** Lists the methods that a path accepts. Empty if the path is unknown or hidden. */
    methodsAt: ({ url }: FastifyRequest): string[] => [...(findPath(url)?.methods ?? [])].sort(),
    /** Makes the refusal for a request that no route accepts. */
    refusalOf({ url }: FastifyRequest): Refusal {
      const path = findPath(url);
      return path ? methodNotAllowed([...path.methods].sort().join(', '), path.hint) : notFound();
    },
  };
};
