import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestApp, createTestLog } from '../../../test/harness/app.ts';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { createBackupPlace } from './backup-place.ts';
import { makeBackup } from './make-backup.ts';

test('a backup that is complete counts, although what comes after it fails', async (context) => {
  const stage = await createTestApp('sqlite');
  context.after(stage.close);
  const { app, config } = stage;
  const directory = join(config.data, 'kept');
  const away = new DatabaseUnavailable('gone for a moment');
  const made = makeBackup(
    {
      ...app,
      ...{ store: { url: null, dataDirectory: config.data }, audio: null, keep: 1, log: createTestLog().log },
      place: createBackupPlace({ ...app, data: config.data }, { directory }, null),
      alerts: { resolve: () => Promise.reject(away) },
    },
    () => undefined,
  );
  await assert.rejects(made, away);
  const rows = await app.database.all<{ name: string; state: string }>('select name, state from backups');
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['done'],
  );
  assert.deepEqual(
    readdirSync(directory),
    rows.map(({ name }) => name),
  );
});
