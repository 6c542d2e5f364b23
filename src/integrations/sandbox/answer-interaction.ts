import { errors, type Provider } from 'oidc-provider';
import { answeredOrExpired } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Question } from './interaction-pages.ts';
import { knownScopes } from './scopes.ts';

export type Reply = { answer: 'allow' | 'deny'; account: string };

/** The interaction's signed cookie says who is asking. It is `lax`, so another site's form comes without it. */
const findInteraction = async (provider: Provider, { incoming, outgoing }: Exchange, uid: string) => {
  try {
    const interaction = await provider.interactionDetails(incoming, outgoing);
    if (interaction.uid === uid) return interaction;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
  }
  throw answeredOrExpired();
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const createInteractions = (provider: Provider) => ({
  async getQuestion(exchange: Exchange, uid: string): Promise<Question> {
    const { params } = await findInteraction(provider, exchange, uid);
    const client = await provider.Client.find(textOf(params['client_id']));
    return { client: client?.clientName ?? '', scopes: knownScopes(textOf(params['scope'])) };
  },

  /** Signs in and consents in one step. Returns the URL where the provider continues. */
  async answer(exchange: Exchange, uid: string, { answer, account }: Reply): Promise<string> {
    const { params } = await findInteraction(provider, exchange, uid);
    const finish = (result: Parameters<Provider['interactionResult']>[2]) =>
      provider.interactionResult(exchange.incoming, exchange.outgoing, result, { mergeWithLastSubmission: false });
    if (answer === 'deny') return finish({ error: 'access_denied', error_description: 'Access was denied' });
    const grant = new provider.Grant({ accountId: account, clientId: textOf(params['client_id']) });
    grant.addOIDCScope(knownScopes(textOf(params['scope'])).join(' '));
    return finish({ login: { accountId: account }, consent: { grantId: await grant.save() } });
  },
});
