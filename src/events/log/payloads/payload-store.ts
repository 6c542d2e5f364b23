import { deleteInPieces, insertRow, type Queries, type Transaction } from '../../../platform/index.ts';

/** A piece of a payload. Its content is sealed. */
type PayloadPiece = { eventId: string; piece: number; teamId: string; content: string };

export const insertPiece = (tx: Transaction, piece: PayloadPiece): Promise<number> =>
  insertRow(tx, 'event_payload_pieces', piece);

/** The sealed content of a piece. Undefined after the last one. */
export const getPiece = async (
  queries: Queries,
  { teamId, eventId, piece }: Omit<PayloadPiece, 'content'>,
): Promise<string | undefined> =>
  (
    await queries.get<Pick<PayloadPiece, 'content'>>(
      'select content from event_payload_pieces where event_id = $1 and piece = $2 and team_id = $3',
      [eventId, piece, teamId],
    )
  )?.content;

/** Few, because each is large. */
const PIECES_AT_ONCE = 20;

/** Deletes the payloads of some events, a few pieces at a time. `events` is SQL that selects their IDs. */
export const deletePayloads = (
  queries: Queries,
  events: string,
  values: readonly (string | number)[],
  pace?: () => Promise<void>,
): Promise<number> =>
  deleteInPieces(
    queries,
    {
      from: 'event_payload_pieces',
      key: 'event_id, piece',
      where: `event_id in (${events})`,
      piece: PIECES_AT_ONCE,
    },
    values,
    pace,
  );

/** Deletes the payloads of a team's events about these subjects. */
export const deletePayloadsAbout = (tx: Transaction, teamId: string, subjects: readonly string[]): Promise<number> =>
  tx.runFrom(
    { columns: { team_id: 'text', subject: 'text' }, rows: subjects.map((subject) => [teamId, subject]) },
    `delete from event_payload_pieces where event_id in (select id from events
      where (team_id, subject) in (select team_id, subject from rows) and provider is not null)`,
  );
