import type { Transaction } from '../../platform/index.ts';

/** Awaited between two pieces of work, so that other work comes first. Throws if it's another team's turn. */
export type ErasurePace = () => Promise<void>;

export type TeamToErase = {
  teamId: string;
  erasingAt: number;
  /** True once everything that began before the erasure is done and can't write anymore. */
  isSettled: boolean;
  /** A user without personal data, who becomes the owner of rows that have to stay for a while. */
  heirId: string;
  pace: ErasurePace;
};

/**
 * What a room does when a team is erased. It may be interrupted anywhere and then runs again from the start, so it must
 * tolerate finding only part of the team, or none of it.
 */
export type TeamEraser = {
  /** Stops what must stop at once, in the transaction that begins the erasure. A few short statements. */
  end?(tx: Transaction, teamId: string): Promise<unknown>;
  /** Clears what this process has in memory about the team. Called after that transaction has committed. */
  forget?(teamId: string): Promise<void> | void;
  /** Erases everything the room has of the team, in pieces. Returns how much has to stay for now. */
  erase(team: TeamToErase): Promise<number>;
  /** Runs in the transaction that removes the team's row. `key` is the team's ID in the operator's product. */
  gone?(tx: Transaction, teamId: string, key: string | null): Promise<void>;
};
