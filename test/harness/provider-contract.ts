import { describe } from 'node:test';
import type { TelephonyProvider } from '../../src/telephony/contract/provider.ts';
import type { ProviderContract } from './provider-contract/contract.ts';
import { testAnything, testFacts } from './provider-contract/facts.ts';
import { testMedia, testReplies, testSetup } from './provider-contract/replies.ts';
import { testSignatures, testSimulator } from './provider-contract/signatures.ts';

export { type ProviderContract, replyTo, verdictOf } from './provider-contract/contract.ts';

/** Everything that is true of every telephony provider. */
export const testProvider = (provider: TelephonyProvider, contract: ProviderContract): void => {
  describe(provider.name, () => {
    for (const part of [testSignatures, testSimulator, testFacts, testAnything, testReplies, testMedia, testSetup])
      part(provider, contract);
  });
};
