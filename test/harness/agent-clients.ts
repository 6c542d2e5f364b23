import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Result } from './agent.ts';
import { SERVICE_URL } from './oauth-server.ts';

const INFO = { name: 'test-agent', version: '1.0.0' };
/** Where the client gets its code. Nothing listens there: a test reads the address. */
export const CALLBACK = 'http://127.0.0.1:33418/callback';

type Registered = { client_id: string };
type Tokens = { access_token: string; token_type: string; refresh_token?: string };

/** Requests that reach the stage, though its public address is another one. */
export const throughTo =
  (port: number): typeof fetch =>
  (input, init) =>
    fetch(String(input instanceof Request ? input.url : input).replace(SERVICE_URL, `http://127.0.0.1:${port}`), init);

/** What a client remembers between its requests, as both libraries want it. */
export const createMemory = (documentUrl?: string) => ({
  redirectUrl: CALLBACK,
  ...(documentUrl === undefined ? {} : { clientMetadataUrl: documentUrl }),
  clientMetadata: { client_name: 'Test agent', redirect_uris: [CALLBACK] },
  asked: null as URL | null,
  verifier: '',
  discovered: undefined as unknown,
  registered: undefined as Registered | undefined,
  held: undefined as Tokens | undefined,
  state: () => 'state-of-the-client',
  clientInformation() {
    return this.registered;
  },
  saveClientInformation(registered: Registered) {
    this.registered = registered;
  },
  tokens() {
    return this.held;
  },
  saveTokens(tokens: Tokens) {
    this.held = tokens;
  },
  redirectToAuthorization(address: URL) {
    this.asked = address;
  },
  invalidateCredentials(scope: string) {
    if (scope === 'all' || scope === 'tokens') this.held = undefined;
    if (scope === 'all' || scope === 'client') this.registered = undefined;
  },
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  },
  saveDiscoveryState(state: unknown) {
    this.discovered = state;
  },
  discoveryState() {
    return this.discovered;
  },
  codeVerifier() {
    return this.verifier;
  },
});

export type Memory = ReturnType<typeof createMemory>;

const wrap = (client: Client | OlderClient, finish: (code: string, iss: string | null) => Promise<void>) => ({
  finish,
  listTools: async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as Result,
  close: () => client.close(),
});

/** The port of a stage whose public address is another one, or the address of a program. */
type Place = number | string;

const addressAt = (at: Place): URL => new URL('/mcp', typeof at === 'number' ? SERVICE_URL : at);

/** What a client has: a header with a token, or what it remembers of the person's consent. */
type Credential = Memory | Record<'authorization', string>;

const optionsFor = (at: Place, credential: Credential) => ({
  ...('authorization' in credential ? { requestInit: { headers: credential } } : { authProvider: credential as never }),
  ...(typeof at === 'number' ? { fetch: throughTo(at) } : {}),
});

/** The official client, which speaks the current revision, and the older library, with the one before it. */
export const CLIENTS = {
  async official(at: Place, credential: Credential) {
    const transport = new StreamableHTTPClientTransport(addressAt(at), optionsFor(at, credential));
    const client = new Client(INFO);
    const finish = (code: string, iss: string | null) => transport.finishAuth(code, iss as never);
    return { ...wrap(client, finish), connect: () => client.connect(transport) };
  },
  async older(at: Place, credential: Credential) {
    const transport = new OlderTransport(addressAt(at), optionsFor(at, credential));
    const client = new OlderClient(INFO);
    const finish = (code: string) => transport.finishAuth(code);
    return { ...wrap(client, finish), connect: () => client.connect(transport as never) };
  },
};
