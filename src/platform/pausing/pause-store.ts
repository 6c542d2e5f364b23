import type { Queries } from '../database/database.ts';

/** Since when the service is paused, and why. */
export type Paused = { at: number; reason: string };

/** Reads the pause. Null if the service isn't paused. */
export const readPaused = async (queries: Queries): Promise<Paused | null> => {
  const row = await queries.get<{ at: number | null; reason: string | null }>(
    'select paused_at as at, paused_reason as reason from service_state where id = 1',
  );
  return row?.at == null ? null : { at: row.at, reason: row.reason ?? '' };
};

/** Pauses the service, which every process notices within seconds. Null ends the pause. */
export const setPaused = async (queries: Queries, paused: Paused | null): Promise<void> => {
  await queries.run(
    `insert into service_state (id, paused_at, paused_reason) values (1, $1, $2)
      on conflict (id) do update set paused_at = excluded.paused_at, paused_reason = excluded.paused_reason`,
    [paused?.at ?? null, paused?.reason ?? null],
  );
};
