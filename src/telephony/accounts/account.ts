import type { AccountSecret, ProviderAccount } from '../contract/provider.ts';

/** An opened account. Only ever in memory. */
export type TelephonyAccount = Omit<ProviderAccount, 'secrets'> & {
  id: string;
  teamId: string;
  provider: string;
  secrets: readonly (AccountSecret & { addedAt: number })[];
  mode: 'enforce' | 'observe';
  observeUntil: number | null;
  /** A recording is deleted at the provider once it is archived here. */
  removesArchived: boolean;
  /** A simulation made it: it holds demo calls, and nothing that people entered. Never changes. */
  isSimulated: boolean;
};

/** Observing ends on its own, so an account that lets everyone in isn't forgotten. */
export const OBSERVE_MS = 7 * 24 * 3_600_000;

export const isObserved = (
  { mode, observeUntil }: Pick<TelephonyAccount, 'mode' | 'observeUntil'>,
  now: number,
): boolean => mode === 'observe' && observeUntil !== null && now < observeUntil;
