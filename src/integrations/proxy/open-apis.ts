import type { WantedConnection } from '../connections/find-connection.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { type OpenApi, openApi } from './open-api.ts';

/** The maximum age of the cache, so that changes by another process are visible within a second. */
const FRESH_MS = 800;
const MOST_KNOWN = 5_000;

type Opened = { since: number; apis: Map<string, Promise<OpenApi>> };

/** Caches each connection's `OpenApi` for less than a second. After that, the whole cache is dropped. */
export const createOpenApis = (context: WorkingContext) => {
  const { clock } = context;
  let opened: Opened = { since: clock.now(), apis: new Map() };

  const forget = (): void => {
    opened = { since: clock.now(), apis: new Map() };
  };

  return {
    open(wanted: WantedConnection): Promise<OpenApi> {
      const age = clock.now() - opened.since;
      if (age < 0 || age >= FRESH_MS || opened.apis.size >= MOST_KNOWN) forget();
      const { apis } = opened;
      const key = `${wanted.teamId} ${wanted.provider} ${wanted.name ?? ''}`;
      const known = apis.get(key);
      if (known) return known;
      const api = openApi(context, wanted);
      apis.set(key, api);
      api.catch(() => apis.delete(key));
      return api;
    },
    /** Empties the cache. Call it after a change to a connection in this process. */
    forget,
  };
};

export type OpenApis = ReturnType<typeof createOpenApis>;
