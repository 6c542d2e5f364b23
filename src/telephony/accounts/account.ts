import type { AccountSecret, ProviderAccount } from '../contract/provider.ts';

export type Mode = 'enforce' | 'observe';

/** An account as the work needs it: opened, in memory only. */
export type Account = Omit<ProviderAccount, 'secrets'> & {
  id: string;
  teamId: string;
  provider: string;
  secrets: readonly (AccountSecret & { addedAt: number })[];
  mode: Mode;
  observeUntil: number | null;
  /** A recording is deleted at the provider once it is archived here. */
  removesArchived: boolean;
};

/** How many of each a team can have. */
export type TelephonyLimits = { accounts: number; numbers: number };

/** Observing ends by itself: an account that lets everybody in is not forgotten. */
export const OBSERVE_MS = 7 * 24 * 3_600_000;

export const isObserved = ({ mode, observeUntil }: Pick<Account, 'mode' | 'observeUntil'>, now: number): boolean =>
  mode === 'observe' && observeUntil !== null && now < observeUntil;
