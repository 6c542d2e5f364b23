import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newIncomingFile } from '../../src/telephony/audio/incoming-files.ts';
import { createTestApp } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

/** Otherwise a process that crashes again and again fills the disk, and audio outlives the number that was erased. */
describe('a recording that was being downloaded when the process was killed', () => {
  const house = useStage(() => createTestApp('sqlite'));

  test('is gone after the next start, and those of this process are not', async () => {
    const { config, telephony } = house.app;
    const folder = join(config.data, 'recordings');
    const [left, current] = [await newIncomingFile(folder), await newIncomingFile(folder)];
    for (const path of [left, current]) writeFileSync(path, 'half of the audio');
    const before = performance.timeOrigin / 1_000 - 1;
    utimesSync(left, before, before);
    await telephony.start();
    assert.deepEqual([existsSync(left), existsSync(current)], [false, true]);
  });
});
