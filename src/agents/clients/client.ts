import type { AdapterPayload } from 'oidc-provider';
import { Type } from '../../platform/index.ts';

const MOST_REDIRECTS = 10;
const MOST_NAME = 100;

/** What a client says about itself, of which everything else is ignored: all clients are public ones with a code. */
export const ClientBody = Type.Object({
  redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: MOST_REDIRECTS }),
  client_name: Type.Optional(Type.String({ maxLength: 1_000 })),
});

export type AgentClient = { id: string; name: string; redirects: readonly string[] };

/** Characters that nobody sees, or that change the order of others. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;

/** A client's name as people read it: on one line, without what nobody sees, and not too long. Anyone can choose it. */
export const toClientName = (name: string | undefined, fallback: string): string => {
  const line = (name ?? '')
    .replaceAll(/\s/gu, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll('://', ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  if (line === '') return fallback;
  return line.length > MOST_NAME ? `${line.slice(0, MOST_NAME)}…` : line;
};

/** The host of a client that is known by its address. Null for one that registered: anyone can choose its name. */
export const hostOfClient = (id: string): string | null => URL.parse(id)?.host ?? null;

/** Where an address leads, in full: its host, or its scheme if that opens a program. */
export const hostOfRedirect = (redirect: string): string => {
  const { protocol, host } = new URL(redirect);
  return host === '' || !/^https?:$/.test(protocol) ? `${protocol}//${host}` : host;
};

/** A client in the words of oidc-provider. */
export const toClientMetadata = ({ id, name, redirects }: AgentClient): AdapterPayload => ({
  client_id: id,
  client_name: name,
  redirect_uris: [...redirects],
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});
