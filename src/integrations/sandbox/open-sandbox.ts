import type { Log } from '../../platform/index.ts';
import { createInteractions } from './answer-interaction.ts';
import { createAsk } from './ask-oidc-provider.ts';
import { buildProvider, type SandboxClient } from './build-provider.ts';

/** The only import of oidc-provider, loaded when the sandbox is first used. */
export const openSandbox = async (client: SandboxClient, log: Log) => {
  const provider = await buildProvider(client, log);
  return { ask: createAsk(provider), ...createInteractions(provider) };
};
