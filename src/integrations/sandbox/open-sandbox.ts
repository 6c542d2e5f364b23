import type { Log } from '../../platform/index.ts';
import { createInteractions } from './answer-interaction.ts';
import { createAsk } from './ask-oidc-provider.ts';
import { buildProvider, type SandboxClient } from './build-provider.ts';

/** The door to oidc-provider, imported only once the sandbox is asked for something. */
export const openSandbox = async (client: SandboxClient, log: Log) => {
  const provider = await buildProvider(client, log);
  return { ask: createAsk(provider), ...createInteractions(provider) };
};
