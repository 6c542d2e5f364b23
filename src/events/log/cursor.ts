import { createCipheriv, createDecipheriv } from 'node:crypto';
import { getFirstTeamId } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { eventCursorInvalid } from '../errors.ts';

type CursorContext = Pick<EventsContext, 'database' | 'vault'>;
/** The log of one team, or null for the log of all teams that the operator's product has named. */
export type LogScope = { teamId: string } | null;

/** A cursor fits in a single block, so ECB is safe here. */
const CIPHER = 'aes-128-ecb';
const BLOCK = 16;
/** The end of every valid block. A forged cursor decrypts to something else. */
const ENDING = Buffer.alloc(BLOCK / 2);

const keyOf = async ({ database, vault }: CursorContext, scope: LogScope): Promise<Buffer> => {
  const teamId = scope?.teamId ?? (await getFirstTeamId(database));
  if (teamId === undefined) throw new Error('There is always a first team.');
  return Buffer.from(await vault.hash(teamId, scope ? 'log cursor' : 'log cursor of the operator'), 'base64url');
};

/** Prints a cursor: the position, encrypted, because it would show how many events other teams have. */
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
