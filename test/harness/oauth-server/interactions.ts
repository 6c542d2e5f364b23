import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The page at which a person allows or denies. One account and one client share one grant, as at most providers. */
export const createInteractions = (provider: Provider) => {
  const grants = new Map<string, string>();

  const grantFor = async (accountId: string, params: Record<string, unknown>): Promise<string> => {
    const clientId = textOf(params['client_id']);
    const key = `${accountId} ${clientId}`;
    const known = grants.get(key);
    const grant =
      (known === undefined ? undefined : await provider.Grant.find(known)) ??
      new provider.Grant({ accountId, clientId });
    grant.addOIDCScope(textOf(params['scope']));
    const id = await grant.save();
    grants.set(key, id);
    return id;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = await provider.interactionDetails(request, response);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        '<form method="post"><input name="account"><button name="answer" value="allow">Allow</button></form>',
      );
      return;
    }
    const form = new URLSearchParams(await text(request));
    const accountId = form.get('account') ?? '';
    const result =
      form.get('answer') === 'allow'
        ? { login: { accountId }, consent: { grantId: await grantFor(accountId, params) } }
        : { error: 'access_denied' };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
};
