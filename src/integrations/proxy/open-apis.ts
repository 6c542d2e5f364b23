import type { WantedConnection } from '../connections/find-connection.ts';
import type { WorkingContext } from '../connections/working-connection.ts';
import { type OpenApi, openApi } from './open-api.ts';

/** A change by another process is seen within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 5_000;

type Known = { api: Promise<OpenApi>; at: number };

/** Opens each connection's API once for all requests within a second, and forgets it, with its token, after that. */
export const createOpenApis = (context: WorkingContext) => {
  const { clock } = context;
  let teams = new Map<string, Map<string, Known>>();

  return {
    open(wanted: WantedConnection): Promise<OpenApi> {
      const { teamId, provider, name } = wanted;
      const now = clock.now();
      if (teams.size >= MOST_TEAMS) teams = new Map();
      const known = teams.get(teamId) ?? new Map<string, Known>();
      teams.set(teamId, known);
      const key = `${provider} ${name ?? ''}`;
      const found = known.get(key);
      if (found && now >= found.at && now - found.at < FRESH_MS) return found.api;
      const api = openApi(context, wanted);
      known.set(key, { api, at: now });
      api.catch(() => known.delete(key));
      return api;
    },
    /** Call after a change to a team's connections in this process. */
    forget: (teamId: string): void => void teams.delete(teamId),
  };
};

export type OpenApis = ReturnType<typeof createOpenApis>;
