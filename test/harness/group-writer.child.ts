// Writes rows with 64 writers until it is killed. Tells each id once its write has settled, at once and unbuffered.
import { writeSync } from 'node:fs';
import { createGroupWriter, openDatabase } from '../../src/platform/index.ts';
import { marks, settingsFrom } from './group-writer-process.ts';

const STDOUT = 1;
const WRITERS = 64;

const [, , round = ''] = process.argv;
const database = openDatabase(settingsFrom(process.argv), () => undefined);
const writer = createGroupWriter(database);

const write = async (name: number): Promise<never> => {
  for (let turn = 0; ; turn++) {
    const id = `${round}-${name}-${turn}`;
    const outcome = await writer.insert(marks, [id, turn]);
    writeSync(STDOUT, `${id} ${outcome}\n`);
  }
};

await Promise.all(Array.from({ length: WRITERS }, (_, name) => write(name)));
