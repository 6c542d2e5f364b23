import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createNewId, digestOf, systemClock } from '../../platform/index.ts';
import { RecordingLost, type RecordingStorage, recordingKey } from '../contract/recording-storage.ts';
import { newIncomingFile, removeLeftovers } from './incoming-files.ts';
import { createRecordingFiles } from './recording-files.ts';

const newId = createNewId(systemClock);

describe('recordings as files', () => {
  let directory: string;
  let storage: RecordingStorage;
  const key = recordingKey({ teamId: newId(), id: newId() });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-files-'));
    storage = createRecordingFiles({ recordingsFolder: join(directory, 'recordings') });
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const put = async (content: string): Promise<void> => {
    const path = await newIncomingFile(join(directory, 'recordings'));
    writeFileSync(path, content, { mode: 0o600 });
    await storage.put(key, { path, bytes: content.length, sha256: digestOf(content) });
  };

  const read = async (start: number, length: number): Promise<string> =>
    (await buffer(await storage.open(key, { start, length }))).toString();

  test('are readable by their owner only, and leave no trace of how they arrived', async () => {
    await put('the audio');
    assert.equal(await read(0, 9), 'the audio');
    assert.equal(await read(4, 3), 'aud');
    assert.equal(await read(9, 0), '');
    assert.equal(statSync(join(directory, 'recordings', key)).mode & 0o777, 0o600);
    for (const folder of ['recordings', 'recordings/incoming', `recordings/${key.split('/')[0]}`])
      assert.equal(statSync(join(directory, folder)).mode & 0o777, 0o700, folder);
    assert.deepEqual(readdirSync(join(directory, 'recordings', 'incoming')), []);
  });

  test('are replaced as a whole', async () => {
    await put('the first and longer one');
    await put('the second');
    assert.equal(await read(0, 10), 'the second');
  });

  test('disappear when removed, and may be removed twice', async () => {
    await put('the audio');
    await storage.remove(key);
    await storage.remove(key);
    assert.ok(!existsSync(join(directory, 'recordings', key)));
    await assert.rejects(storage.open(key, { start: 0, length: 1 }), RecordingLost);
  });

  test('count as missing if they are gone or truncated, before a byte is read', async () => {
    await assert.rejects(storage.open(key, { start: 0, length: 1 }), RecordingLost);
    await put('the audio');
    truncateSync(join(directory, 'recordings', key), 5);
    await assert.rejects(storage.open(key, { start: 0, length: 9 }), RecordingLost);
  });

  test('are stored under ids and nothing else', async () => {
    for (const bad of [
      '',
      '..',
      `../${key}`,
      `${key}/..`,
      `${key}\n`,
      key.toUpperCase(),
      `${newId()}`,
      `a/${key}`,
      `${newId()}//etc`,
    ]) {
      await assert.rejects(storage.open(bad, { start: 0, length: 1 }), TypeError, bad);
      await assert.rejects(storage.remove(bad), TypeError, bad);
      await assert.rejects(storage.put(bad, { path: '/nowhere', bytes: 0, sha256: '' }), TypeError, bad);
    }
  });

  test('that never completed are cleaned up once they are old', async () => {
    assert.equal(await removeLeftovers(directory, 1e15), 0);
    const [old, fresh] = [await newIncomingFile(directory), await newIncomingFile(directory)];
    for (const path of [old, fresh]) writeFileSync(path, 'half');
    utimesSync(old, 1_000, 1_000);
    assert.equal(await removeLeftovers(directory, 2_000_000), 1);
    assert.deepEqual([existsSync(old), existsSync(fresh)], [false, true]);
  });
});
