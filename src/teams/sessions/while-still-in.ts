import { PassThrough, pipeline, type Readable } from 'node:stream';
import { currentWork, Refusal, workFor } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved } from '../errors.ts';
import type { Visitor } from '../records/holder.ts';
import { isStillIn } from '../tokens/is-still-in.ts';

/** How much a reader gets between two checks. */
const CHECKED_EVERY_BYTES = 64 * 1024;

/**
 * Passes a stream on for as long as its reader is still in the team. Throws if the reader was removed while the stream
 * was opened. If they are removed later, the stream breaks off, so that it isn't mistaken for a complete one. An outage
 * of the database ends no stream that has begun.
 */
export const whileStillIn = async (
  { database, clock }: Pick<TeamsContext, 'database' | 'clock'>,
  visitor: Visitor,
  stream: Readable,
): Promise<Readable> => {
  const check = async (): Promise<void> => {
    if (!(await isStillIn(database, visitor, clock.now()))) throw callerRemoved();
  };
  // The response pulls each piece outside the request's context, so the owner of the work is set again here.
  const work = currentWork();
  const checkAgain = (): Promise<void> =>
    workFor(work, check).catch((error) => {
      if (error instanceof Refusal) throw error;
    });
  const passed = new PassThrough();
  // If the reader leaves, end the source immediately. `pipeline` would wait for its next chunk first.
  passed.once('close', () => stream.destroy());
  const passOn = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let unchecked = 0;
    for await (const chunk of chunks) {
      if (unchecked >= CHECKED_EVERY_BYTES) {
        await checkAgain();
        unchecked = 0;
      }
      unchecked += chunk.length;
      yield chunk;
    }
  };
  pipeline(stream, passOn, passed, () => undefined);
  try {
    await check();
    return passed;
  } catch (error) {
    passed.destroy();
    throw error;
  }
};
