import type { Begun } from './handover.ts';
import { ID_PREFIX } from './return-address.ts';

/** What finishing takes, once the browser is back. */
export type KeptFlow = Begun & { url: string; token: string; source: string };

/** Browsers that keep nothing refuse even to look. */
const withStorage = <Result>(look: (storage: Storage) => Result): Result | null => {
  try {
    return look(sessionStorage);
  } catch {
    return null;
  }
};

/** Waits while the whole page is away, in this tab only. Whatever waited before has been given up. */
export const keepFlow = (id: string, flow: KeptFlow): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(ID_PREFIX)) sessionStorage.removeItem(key);
  sessionStorage.setItem(id, JSON.stringify(flow));
};

export const removeKept = (id: string): void => void withStorage((storage) => storage.removeItem(id));

export const takeKept = (id: string): KeptFlow | null => {
  const kept = withStorage((storage) => storage.getItem(id));
  removeKept(id);
  return kept ? JSON.parse(kept) : null;
};
