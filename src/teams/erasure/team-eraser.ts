import type { Transaction } from '../../platform/index.ts';

/** Called between two pieces of work, to let other work run. Throws when the team's time slice is over. */
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
 * How one part of the service erases its data of a team. It may be interrupted anywhere and then starts over, so it
 * must tolerate that some or all of the data is gone.
 */
export type TeamEraser = {
  /** Ends what must not go on, in the transaction that begins the erasure. Only a few short statements. */
  end?(tx: Transaction, teamId: string): Promise<unknown>;
  /** Clears what this process has in memory about the team. Called after the transaction of `end` has committed. */
  forget?(teamId: string): Promise<void> | void;
  /** Erases this part's data of the team, in pieces. Returns how many rows can't be erased yet. */
  erase(team: TeamToErase): Promise<number>;
  /** Runs in the transaction that removes the team's row. `key` is the team's ID in the operator's product. */
  gone?(tx: Transaction, teamId: string, key: string | null): Promise<void>;
};
