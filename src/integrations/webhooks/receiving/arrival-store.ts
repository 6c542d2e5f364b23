import { deleteInPieces, type Queries, type Transaction } from '../../../platform/index.ts';

type Arrived = { address: string; repeat: string };

/** Notes what has arrived. Returns what hadn't arrived before. */
export const insertArrived = (tx: Transaction, arrived: readonly Arrived[], now: number): Promise<Arrived[]> =>
  tx.allFrom<Arrived>(
    {
      columns: { address: 'text', repeat: 'text', arrived_at: 'bigint' },
      rows: arrived.map(({ address, repeat }) => [address, repeat, now]),
    },
    `insert into webhook_arrivals (address, repeat, arrived_at) select address, repeat, arrived_at from rows where true
      on conflict do nothing returning address, repeat`,
  );

/** Forgets what arrived long ago, a few at a time. */
export const deleteOldArrivals = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'webhook_arrivals', key: 'address, repeat', where: 'arrived_at < $1', along: 'arrived_at' },
    [before],
  );

/** Forgets what has arrived at an address, a few at a time. */
export const deleteArrivalsAt = (queries: Queries, address: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'webhook_arrivals', key: 'address, repeat', where: 'address = $1', along: 'repeat' },
    [address],
    pace,
  );
