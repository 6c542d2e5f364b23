import { setTimeout as sleep } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import { readRetryAfter } from '../../integrations/index.ts';
import {
  type Clock,
  CommandRefused,
  findMisfits,
  type Outbound,
  OutboundFailed,
  type Secret,
} from '../../platform/index.ts';
import { ConnectionPage, FullConnection, type NangoConnection, NangoIntegration } from './nango-schemas.ts';

export const NANGO_CLOUD = 'https://api.nango.dev';

const PER_PAGE = 100;
/** Enough for a million connections. */
const MOST_PAGES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 120_000;

/** Nango's response to this request can't be used. `code` is Nango's error code. */
export class NangoRefused extends Error {
  override readonly name = 'NangoRefused';
  readonly code: string | null;

  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}

type NangoContext = {
  outbound: Pick<Outbound, 'request'>;
  clock: Clock;
  /** Tests replace the wait between tries. */
  wait?: (ms: number) => Promise<unknown>;
};

const CODE = /^[a-z][a-z_]{0,59}$/;

const parseBody = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

/** Returns only Nango's error code. Nango's messages may quote a provider's response. */
const codeIn = (body: unknown): string | null => {
  const code = (body as { error?: { code?: unknown } } | null)?.error?.code;
  return typeof code === 'string' && CODE.test(code) ? code : null;
};

/** Reads from Nango's public API. Redirects aren't followed, so that no other host gets the API key. */
export const createNangoClient = (context: NangoContext, { host, key }: { host: string; key: Secret }) => {
  const { outbound, clock, wait = (ms) => sleep(ms) } = context;

  const ask = async (path: string) => {
    try {
      const response = await outbound.request({
        url: `${host}${path}`,
        headers: { accept: 'application/json', authorization: `Bearer ${key.reveal()}`, 'user-agent': 'Patchbay' },
        timeoutMs: TIMEOUT_MS,
        mostBytes: MOST_BYTES,
        // Allows private IP addresses. The operator chose the host, and a self-hosted Nango is often in a private
        // network.
        trusted: true,
      });
      const { status, headers } = response;
      return { status, retryAfter: headers['retry-after'], body: parseBody(response.body), failure: null };
    } catch (error) {
      if (!(error instanceof OutboundFailed)) throw error;
      return { status: 0, retryAfter: undefined, body: null, failure: error };
    }
  };

  const isWorthAnotherTry = ({ status, failure }: Awaited<ReturnType<typeof ask>>): boolean =>
    status === 429 || status >= 500 || failure?.reason === 'timeout' || failure?.reason === 'network';

  const get = async <Schema extends TSchema>(schema: Schema, path: string): Promise<Static<Schema>> => {
    let response = await ask(path);
    for (let tried = 1; tried < TRIES && isWorthAnotherTry(response); tried++) {
      const asked = readRetryAfter(response.retryAfter, clock.now());
      await wait(Math.min(asked ?? FIRST_WAIT_MS * 2 ** (tried - 1), MOST_WAIT_MS));
      response = await ask(path);
    }
    const { status, body, failure } = response;
    if (failure) throw new NangoRefused(failure.message);
    const code = codeIn(body);
    if (status === 401) throw new CommandRefused('Nango does not accept the API key. Check NANGO_SECRET_KEY.');
    if (status === 403)
      throw new CommandRefused(
        'The API key may not read this in Nango. Use one with full access, or with the scopes environment:connections:list, environment:connections:read_credentials, and environment:integrations:read_credentials.',
      );
    if (status !== 200)
      throw new NangoRefused(`Nango responded with status ${status}${code ? ` (${code})` : ''}.`, code);
    if (findMisfits(schema, body).length > 0)
      throw new NangoRefused('Nango responded in a form that its documentation does not describe.');
    return body as Static<Schema>;
  };

  return {
    /**
     * Lists connections a page at a time, newest first. If new ones shift the pages, a connection is still listed only
     * once.
     */
    async *listConnections(): AsyncGenerator<NangoConnection[]> {
      const seen = new Set<number>();
      for (let page = 0; page < MOST_PAGES; page++) {
        const { connections } = await get(ConnectionPage, `/connections?limit=${PER_PAGE}&page=${page}`);
        const fresh = connections.filter(({ id }) => !seen.has(id) && seen.add(id));
        yield fresh;
        if (fresh.length === 0 || connections.length < PER_PAGE) return;
      }
    },

    /** Gets a connection with its credentials. Nango first refreshes a token that has expired. */
    getConnection: ({ connection_id, provider_config_key }: NangoConnection): Promise<Static<typeof FullConnection>> =>
      get(
        FullConnection,
        `/connections/${encodeURIComponent(connection_id)}?${new URLSearchParams({ provider_config_key, refresh_token: 'true' })}`,
      ),

    getIntegration: async (uniqueKey: string) =>
      (await get(NangoIntegration, `/integrations/${encodeURIComponent(uniqueKey)}?include=credentials`)).data,
  };
};

export type NangoClient = ReturnType<typeof createNangoClient>;
