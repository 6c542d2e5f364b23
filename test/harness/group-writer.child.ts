// Writes rows with 64 writers until it is killed. Prints each id as soon as its write has settled, unbuffered.
import { writeSync } from 'node:fs';
import { createGroupWriter, openDatabase } from '../../src/platform/index.ts';
import { marks, settingsFrom } from './group-writer-process.ts';

const STDOUT = 1;
const WRITERS = 64;

const [, , round = ''] = process.argv;
const database = openDatabase(settingsFrom(process.argv), () => undefined);
const writer = createGroupWriter(database);

/** The pipe may be full for a moment, because its reader is busy. */
const tell = (line: string): void => {
  for (;;) {
    try {
      return void writeSync(STDOUT, line);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
};

const write = async (name: number): Promise<never> => {
  for (let turn = 0; ; turn++) {
    const id = `${round}-${name}-${turn}`;
    const outcome = await writer.insert(marks, [id, turn]);
    tell(`${id} ${outcome}\n`);
  }
};

await Promise.all(Array.from({ length: WRITERS }, (_, name) => write(name)));
