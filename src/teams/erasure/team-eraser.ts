import type { Transaction } from '../../platform/index.ts';

/** Awaited between two pieces of work, so that others come first. Throws if it's another team's turn. */
export type ErasurePace = () => Promise<void>;

export type TeamToErase = {
  teamId: string;
  erasingAt: number;
  /** Whether nothing that began before the team ended can still write anything. */
  isSettled: boolean;
  /** A user without personal data. Whatever has to stay for a while and needs an owner is given to this one. */
  heirId: string;
  pace: ErasurePace;
};

/**
 * What a room does when a team is erased. It may be interrupted anywhere and then runs again from the start, so it must
 * tolerate finding only part of the team, or none of it.
 */
export type TeamEraser = {
  /** In the transaction that ends the team: what must stop at once. A few short statements. */
  end?(tx: Transaction, teamId: string): Promise<unknown>;
  /** Once that is committed: what this process has in memory. */
  forget?(teamId: string): Promise<void> | void;
  /** Erases all that the room has of the team, in pieces. Returns how much has to stay for now. */
  erase(team: TeamToErase): Promise<number>;
  /** In the transaction that removes the last of it. `key` is what the operator's product called the team. */
  gone?(tx: Transaction, teamId: string, key: string | null): Promise<void>;
};
