import { Readable } from 'node:stream';
import type { Forwarded } from '../../platform/index.ts';

/** Reads a response up to a limit. A response that fails on the way counts as cut. */
export const readUpTo = async (
  { body }: Pick<Forwarded, 'body'>,
  most: number,
): Promise<{ body: Buffer; isCut: boolean }> => {
  if (!(body instanceof Readable)) return { body: body.subarray(0, most), isCut: body.length > most };
  const pieces: Buffer[] = [];
  let room = most;
  let isCut = false;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece.subarray(0, room));
      isCut = piece.length > room;
      room -= Math.min(room, piece.length);
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  return { body: Buffer.concat(pieces), isCut };
};
