import type { AccountSecret, ProviderAccount } from '../contract/provider.ts';

/** An account with its secrets opened. It exists only in memory. */
export type TelephonyAccount = Omit<ProviderAccount, 'secrets'> & {
  id: string;
  teamId: string;
  provider: string;
  secrets: readonly (AccountSecret & { addedAt: number })[];
  mode: 'enforce' | 'observe';
  observeUntil: number | null;
  /** Whether a recording is deleted at the provider once it is archived here. */
  removesArchived: boolean;
  /** Whether a simulation made the account. If so, it has only demo calls. Never changes. */
  isSimulated: boolean;
};

/** How long observe mode lasts. It ends on its own, because an admin may forget to turn verification back on. */
export const OBSERVE_MS = 7 * 24 * 3_600_000;

export const isObserved = (
  { mode, observeUntil }: Pick<TelephonyAccount, 'mode' | 'observeUntil'>,
  now: number,
): boolean => mode === 'observe' && observeUntil !== null && now < observeUntil;
