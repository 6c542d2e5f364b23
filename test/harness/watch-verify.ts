import type { TestContext } from 'node:test';
import type { TelephonyProvider } from '../../src/telephony/contract/provider.ts';

/** Counts how often a provider's signatures are checked: in total, and in the busiest turn of the event loop. */
export const watchVerify = (t: TestContext, providers: readonly TelephonyProvider[], id: string) => {
  const provider = providers.find((known) => known.id === id);
  if (!provider) throw new Error(`There is no ${id}.`);
  const verify = provider.verify;
  const seen = { total: 0, busiestTurn: 0 };
  let inTurn = 0;
  const endTurn = (): void => {
    seen.busiestTurn = Math.max(seen.busiestTurn, inTurn);
    inTurn = 0;
  };
  t.mock.method(provider, 'verify', (...told: Parameters<typeof verify>) => {
    if (inTurn === 0) setImmediate(endTurn);
    inTurn++;
    seen.total++;
    return verify(...told);
  });
  return seen;
};
