import { defineRow, type Queries } from '../../platform/index.ts';

const AUDIO = defineRow({ objectKey: 'text', since: 'bigint' });

/** Inserts the keys of audio that is still in the storage although its team is erased. */
export const insertAudioToRemove = (queries: Queries, keys: readonly string[], now: number): Promise<number> =>
  queries.runFrom(
    AUDIO.toTable(keys.map((objectKey) => ({ objectKey, since: now }))),
    `insert into audio_to_remove (object_key, since) select object_key, since from rows where true
      on conflict do nothing`,
  );

export const listAudioToRemove = async (queries: Queries, limit: number): Promise<string[]> =>
  (
    await queries.all<{ key: string }>('select object_key as "key" from audio_to_remove order by object_key limit $1', [
      limit,
    ])
  ).map(({ key }) => key);

export const deleteAudioToRemove = (queries: Queries, key: string): Promise<number> =>
  queries.run('delete from audio_to_remove where object_key = $1', [key]);
