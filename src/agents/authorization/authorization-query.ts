import { MCP_SCOPE } from '../mcp/metadata-routes.ts';

/** What a client may ask with. Everything else, such as a request object, is left out. */
const FIELDS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'state',
  'resource',
];

/** A resource's address with or without its last slash. */
export const withoutLastSlash = (address: string): string => address.replace(/\/$/, '');

/** Reads what a client asks for. There is one scope, whatever scope it names, and the person is always asked. */
export const readAuthorization = (address: string): { search: string; clientId: string } => {
  const asked = new URL(address, 'http://patchbay.invalid').searchParams;
  const search = new URLSearchParams({ scope: MCP_SCOPE, prompt: 'consent' });
  // A field that is there twice stays so, and is refused.
  for (const field of FIELDS)
    for (const value of asked.getAll(field))
      search.append(field, field === 'resource' ? withoutLastSlash(value) : value);
  return { search: `?${search}`, clientId: asked.get('client_id') ?? '' };
};
