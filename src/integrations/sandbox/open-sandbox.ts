import type { Provider } from 'oidc-provider';
import { createAskProvider, type Exchange, findInteraction } from '../../oauth/index.ts';
import { sandboxGone } from '../errors.ts';
import { buildProvider, type SandboxClient, type SandboxContext, SESSION_COOKIE } from './build-provider.ts';
import { knownScopes } from './scopes.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Opens the sandbox. This file imports oidc-provider, so it's loaded only when the sandbox is first used. */
export const openSandbox = async (client: SandboxClient, context: SandboxContext) => {
  const provider = await buildProvider(client, context);

  const getInteraction = async (exchange: Exchange, uid: string) => {
    const interaction = await findInteraction(provider, exchange, uid);
    if (!interaction) throw sandboxGone();
    return interaction;
  };

  return {
    ask: createAskProvider(provider, SESSION_COOKIE),

    /** Returns what the consent page asks for. */
    async getQuestion(exchange: Exchange, uid: string) {
      const { params } = await getInteraction(exchange, uid);
      const asking = await provider.Client.find(textOf(params['client_id']));
      return { client: asking?.clientName ?? '', scopes: knownScopes(textOf(params['scope'])) };
    },

    /** Signs in and consents in one step. Returns the URL where the provider continues. */
    async decide(exchange: Exchange, uid: string, isAllowed: boolean, account: string): Promise<string> {
      const { params } = await getInteraction(exchange, uid);
      const finish = (result: Parameters<Provider['interactionResult']>[2]) =>
        provider.interactionResult(exchange.incoming, exchange.outgoing, result, { mergeWithLastSubmission: false });
      if (!isAllowed) return finish({ error: 'access_denied', error_description: 'Access was denied' });
      const grant = new provider.Grant({ accountId: account, clientId: textOf(params['client_id']) });
      grant.addOIDCScope(knownScopes(textOf(params['scope'])).join(' '));
      return finish({ login: { accountId: account }, consent: { grantId: await grant.save() } });
    },
  };
};
