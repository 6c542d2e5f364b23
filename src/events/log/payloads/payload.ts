import { Secret, type Transaction } from '../../../platform/index.ts';
import type { SealedColumn, Vault } from '../../../vault/index.ts';
import type { EventsContext } from '../../context.ts';
import { getPiece, insertPiece } from './payload-store.ts';

const MOST_PAYLOAD_BYTES = 25 * 2 ** 20;
/** Short enough that sealing or opening a piece takes about a millisecond. */
const PIECE_CHARACTERS = 256 * 1024;

const placeOf = (eventId: string, piece: number) => ({ record: eventId, field: `payload ${piece}` });

export const SEALED_PAYLOADS: SealedColumn = {
  table: 'event_payload_pieces',
  column: 'content',
  placedBy: ['event_id', 'piece'],
  placesOf: (eventId = '', piece = '') => [placeOf(eventId, Number(piece))],
};

/** Where a piece ends that begins at `start`: never within a character that takes two places. */
const endOf = (text: string, start: number): number => {
  const end = start + PIECE_CHARACTERS;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
};

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

type PayloadOwner = { teamId: string; eventId: string };

/** Seals and stores a payload, in the transaction that records its event. One piece at a time, so that others run. */
export const putPayload = async (
  vault: Pick<Vault, 'seal'>,
  tx: Transaction,
  { teamId, eventId }: PayloadOwner,
  text: string,
): Promise<void> => {
  if (Buffer.byteLength(text) > MOST_PAYLOAD_BYTES) throw new Error('A payload has at most 25 MiB.');
  let piece = 0;
  for (const part of piecesOf(text)) {
    const content = await vault.seal(teamId, placeOf(eventId, piece), new Secret(part), tx);
    await insertPiece(tx, { eventId, piece, teamId, content });
    piece++;
  }
};

/** Opens a payload piece by piece. Yields nothing if there is none. */
export async function* openPayload(
  { database, vault }: Pick<EventsContext, 'database' | 'vault'>,
  { teamId, eventId }: PayloadOwner,
): AsyncGenerator<string> {
  for (let piece = 0; ; piece++) {
    const content = await getPiece(database, { teamId, eventId, piece });
    if (content === undefined) return;
    yield (await vault.open(teamId, placeOf(eventId, piece), content)).reveal();
  }
}
