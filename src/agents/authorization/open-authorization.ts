import type { Provider } from 'oidc-provider';
import { createAskProvider, type Exchange, findInteraction } from '../../oauth/index.ts';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { authorizationGone } from '../errors.ts';
import { MCP_PATH, MCP_SCOPE } from '../mcp/metadata-routes.ts';
import { printAccount } from './account.ts';
import { AGENT_COOKIE, buildAgentProvider } from './build-provider.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Which client asks, and where the person would be sent back to. */
export type LetInQuestion = { id: string; name: string; redirect: string };

/** What a person granted: the access token that stands for it, whose it is, and until when. */
export type LetIn = { tokenId: string; teamId: string; userId: string; expiresAt: number };

/** Opens the OAuth server. This file imports oidc-provider, so it's loaded only when a client first authorizes. */
export const openAuthorization = async (context: AgentsContext, clients: AgentClients) => {
  const provider = await buildAgentProvider(context, clients);

  const getInteraction = async (exchange: Exchange, uid: string) => {
    const interaction = await findInteraction(provider, exchange, uid);
    if (!interaction || interaction.result) throw authorizationGone();
    return interaction;
  };

  const finish = ({ incoming, outgoing }: Exchange, result: Parameters<Provider['interactionResult']>[2]) =>
    provider.interactionResult(incoming, outgoing, result, { mergeWithLastSubmission: false });

  return {
    ask: createAskProvider(provider, AGENT_COOKIE),

    async getQuestion(exchange: Exchange, uid: string): Promise<LetInQuestion> {
      const { params } = await getInteraction(exchange, uid);
      const id = textOf(params['client_id']);
      const client = await provider.Client.find(id);
      if (!client) throw authorizationGone();
      return { id, name: client.clientName ?? id, redirect: textOf(params['redirect_uri']) };
    },

    /** Both return the URL where the browser continues. */
    async deny(exchange: Exchange, uid: string): Promise<string> {
      await getInteraction(exchange, uid);
      return finish(exchange, { error: 'access_denied', error_description: 'The person said no.' });
    },

    async allow(exchange: Exchange, uid: string, { tokenId, expiresAt, ...person }: LetIn): Promise<string> {
      const { params } = await getInteraction(exchange, uid);
      const clientId = textOf(params['client_id']);
      const accountId = printAccount(person);
      const expiresIn = Math.max(1, Math.floor((expiresAt - context.clock.now()) / 1_000));
      const grant = Object.assign(new provider.Grant({ accountId, clientId }), { expiresIn });
      grant.jti = tokenId;
      grant.addOIDCScope(MCP_SCOPE);
      grant.addResourceScope(`${context.url}${MCP_PATH}`, MCP_SCOPE);
      await grant.save();
      await clients.keep(clientId);
      return finish(exchange, { login: { accountId, remember: false }, consent: { grantId: tokenId } });
    },
  };
};
