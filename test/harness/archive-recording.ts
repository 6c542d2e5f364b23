import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { recordingKey } from '../../src/telephony/contract/recording-storage.ts';

/** Puts audio where a reported recording would have been stored. */
export const archiveRecording = async (
  { config, database, telephony }: App,
  recording: { id: string; teamId: string },
  audio: Buffer = Buffer.from('ID3 audio of the tests'),
): Promise<void> => {
  const path = join(config.data, `${recording.id}.part`);
  writeFileSync(path, audio);
  const sha256 = hash('sha256', audio, 'hex');
  await telephony.context.storage.put(recordingKey(recording), { path, bytes: audio.length, sha256 });
  await database.run(
    `update recordings set state = 'archived', content_type = 'audio/mpeg', bytes = $3, sha256 = $4, sealed = 0,
      archived_at = created_at where team_id = $1 and id = $2`,
    [recording.teamId, recording.id, audio.length, sha256],
  );
};
