import { deleteInPieces, insertRow, type Queries, selectFields, type Value } from '../../platform/index.ts';
import type { Dispatch, DispatchState } from './dispatch.ts';

const COMMON = `id, team_id as "teamId", channel, recipient_hash as "recipientHash", state, problem, attempts,
  created_at as "createdAt", sent_at as "sentAt"`;

export type DispatchRow = Dispatch & Readonly<Record<string, Value>>;

export type OwnFields<Row extends DispatchRow> = readonly Exclude<keyof Row & string, keyof Dispatch>[];

type Settled = { state: DispatchState; problem?: string | null; nextTryAt?: number; sentAt?: number };

/** Reads and writes the dispatches of one kind of message. `own`: the fields that only this kind's table has. */
export const createLedger = <Row extends DispatchRow>(table: string, own: OwnFields<Row>) => {
  const selected = `${COMMON}, ${selectFields(own)}`;
  const showsNextTry = own.some((field) => field === 'nextTryAt');

  return {
    selected,

    /** Returns 0 if a dispatch to this recipient already exists. */
    insert: (queries: Queries, dispatch: Row): Promise<number> =>
      insertRow(queries, table, dispatch, 'on conflict do nothing'),

    get: (queries: Queries, teamId: string, id: string): Promise<Row | undefined> =>
      queries.get<Row>(`select ${selected} from ${table} where team_id = $1 and id = $2`, [teamId, id]),

    /** Marks a dispatch as being sent: the receiver may now accept it. Returns 0 if another process marked it first. */
    beginSending: (queries: Queries, { teamId, id, attempts }: Dispatch): Promise<number> =>
      queries.run(
        `update ${table} set state = 'sending', problem = null${showsNextTry ? ', next_try_at = null' : ''}
          where team_id = $1 and id = $2 and state = 'queued' and attempts = $3`,
        [teamId, id, attempts],
      ),

    /** Records how this attempt ended. Returns 0 if another process has already recorded it. */
    settle: (
      queries: Queries,
      { teamId, id, attempts }: Dispatch,
      { state, problem = null, nextTryAt, sentAt }: Settled,
    ): Promise<number> =>
      queries.run(
        `update ${table} set state = $4, problem = $5, sent_at = $6, attempts = attempts + 1${showsNextTry ? ', next_try_at = $7' : ''}
          where team_id = $1 and id = $2 and attempts = $3 and state in ('queued', 'sending')`,
        [teamId, id, attempts, state, problem, sentAt ?? null, ...(showsNextTry ? [nextTryAt ?? null] : [])],
      ),

    deleteBefore: (queries: Queries, at: number): Promise<number> =>
      deleteInPieces(queries, { from: table, key: 'id', where: 'created_at < $1' }, [at]),

    deleteOfTeam: (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
      deleteInPieces(queries, { from: table, key: 'id', where: 'team_id = $1' }, [teamId], pace),
  };
};

export type Ledger<Row extends DispatchRow> = ReturnType<typeof createLedger<Row>>;
