import { createCipheriv, createDecipheriv } from 'node:crypto';
import { getFirstTeamId } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { eventCursorInvalid } from '../errors.ts';

type CursorContext = Pick<EventsContext, 'database' | 'vault'>;
/** A team's part of the log, or null for that of all teams the operator's product has named. */
export type LogScope = { teamId: string } | null;

/** One block is all there is to encrypt, so it needs no mode. */
const CIPHER = 'aes-128-ecb';
const BLOCK = 16;
/** A block that was made here ends with zeros. */
const ENDING = Buffer.alloc(BLOCK / 2);

const keyOf = async ({ database, vault }: CursorContext, scope: LogScope): Promise<Buffer> => {
  const teamId = scope?.teamId ?? (await getFirstTeamId(database));
  if (teamId === undefined) throw new Error('There is always a first team.');
  return Buffer.from(await vault.hash(teamId, scope ? 'log cursor' : 'log cursor of the operator'), 'base64url');
};

/** Encrypted with a key of the team: the place in the log of all teams would say how much happens in others. */
export const printCursor = async (context: CursorContext, scope: LogScope, position: number): Promise<string> => {
  const block = Buffer.alloc(BLOCK);
  block.writeBigUInt64BE(BigInt(position));
  return createCipheriv(CIPHER, await keyOf(context, scope), null)
    .setAutoPadding(false)
    .update(block)
    .toString('base64url');
};

export const readCursor = async (context: CursorContext, scope: LogScope, text: string): Promise<number> => {
  const encrypted = Buffer.from(text, 'base64url');
  if (encrypted.length !== BLOCK) throw eventCursorInvalid();
  const block = createDecipheriv(CIPHER, await keyOf(context, scope), null)
    .setAutoPadding(false)
    .update(encrypted);
  const position = Number(block.readBigUInt64BE());
  if (!block.subarray(BLOCK / 2).equals(ENDING) || !Number.isSafeInteger(position)) throw eventCursorInvalid();
  return position;
};
