import type { Static } from 'typebox';
import { findMisfits, isLoopbackHost, type Outbound, OutboundFailed } from '../../platform/index.ts';
import { clientRefused } from '../errors.ts';
import { type AgentClient, ClientBody, toClientName } from './client.ts';
import { checkRedirects } from './redirect-uri.ts';

const TIMEOUT_MS = 3_000;
const MOST_BYTES = 5 * 1_024;
const MOST_CHARACTERS = 500;
/** Dots, encoded or not, as a segment of a path. */
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

export type DocumentContext = {
  outbound: Outbound;
  production: boolean;
  /** Schemes of native clients to which people can be sent back. */
  redirectSchemes: readonly string[];
};

/** Whether a client's ID is the address of a document that describes it. */
export const isDocumentId = (id: string, { production }: Pick<DocumentContext, 'production'>): boolean => {
  const url = id.length <= MOST_CHARACTERS ? URL.parse(id) : null;
  if (!url || url.href !== id || url.pathname === '/' || url.hash || url.username || url.password) return false;
  if (url.search || DOTS.test(url.pathname)) return false;
  return url.protocol === 'https:' || (!production && url.protocol === 'http:' && isLoopbackHost(url.hostname));
};

type ClientDocument = Static<typeof ClientBody> & {
  client_id?: unknown;
  client_secret?: unknown;
  token_endpoint_auth_method?: unknown;
};

const readDocument = (text: string): ClientDocument => {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw clientRefused('its document is not JSON');
  }
  const [misfit] = findMisfits(ClientBody, document);
  if (misfit) throw clientRefused(`its document is wrong at "${misfit.path}": ${misfit.message}`);
  return document as ClientDocument;
};

const fetchText = async ({ outbound }: DocumentContext, id: string): Promise<string> => {
  try {
    const { status, body } = await outbound.request({
      ...{ url: id, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES },
      headers: { accept: 'application/json' },
    });
    if (status !== 200) throw clientRefused(`its document can't be read (${status})`);
    return body.toString('utf8');
  } catch (error) {
    if (error instanceof OutboundFailed) throw clientRefused("its document can't be read");
    throw error;
  }
};

/** Fetches what a client says about itself at its own address. Nobody vouches for it but whoever has the address. */
export const fetchClient = async (context: DocumentContext, id: string): Promise<AgentClient> => {
  const document = readDocument(await fetchText(context, id));
  if (document.client_id !== id) throw clientRefused('its document is about another client');
  if (document.client_secret !== undefined) throw clientRefused('its document has a secret that anyone can read');
  if ((document.token_endpoint_auth_method ?? 'none') !== 'none')
    throw clientRefused('it has a key or a secret, and only clients without one can be used');
  const { redirect_uris: redirects, client_name: name } = document;
  checkRedirects(redirects, context.redirectSchemes);
  return { id, name: toClientName(name, new URL(id).host), redirects };
};
