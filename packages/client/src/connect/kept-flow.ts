import type { Begun } from './handover.ts';
import { ID_PREFIX } from './return-address.ts';

/** What is needed to finish the flow once the browser is back. */
export type KeptFlow = Begun & { url: string; token: string; source: string };

/** Uses the session storage. Null if the browser blocks it, because then even reading `sessionStorage` throws. */
const withStorage = <Result>(look: (storage: Storage) => Result): Result | null => {
  try {
    return look(sessionStorage);
  } catch {
    return null;
  }
};

/** Keeps the flow while the whole page is away, in this tab only. Removes earlier flows, which were given up. */
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
