import pg from 'pg';
import { DatabaseUnavailable } from '../database.ts';
import type { PostgresqlHost } from './postgresql-address.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** Shorter than the time limit for connecting, so that a silent server leaves time to connect to the primary. */
const PROBE_TIMEOUT_MS = 2_000;

const readOnly = () => Object.assign(new Error('This server is read-only.'), { code: '25006' });

const aim = (client: pg.Client, { host, port }: PostgresqlHost): void => void Object.assign(client, { host, port });

/** Throws if the server is read-only, checked as libpq does it. A standby is always read-only. */
const refuseReadOnly = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query('show transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw readOnly();
};

const probe = async (config: pg.ClientConfig, host: PostgresqlHost): Promise<PostgresqlHost> => {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  aim(client, host);
  try {
    await client.connect();
    await refuseReadOnly(client);
    return host;
  } finally {
    client.end().catch(() => undefined);
  }
};

/** Prefers a reason such as a wrong password or a missing database over a server that is down. */
const pickReason = (reasons: readonly unknown[]): unknown =>
  reasons.find((reason) => !(translatePostgresqlError(reason) instanceof DatabaseUnavailable)) ?? reasons[0];

type Callback = (error: Error | null, client?: pg.Client) => void;

/**
 * A client of `pg` that looks for the primary each time it connects. It probes all servers at once, so a server that is
 * down delays nothing. Connections that are opened at the same time share the search. The result isn't cached, so a
 * newly promoted standby is found at once.
 */
export const createPrimaryClient = (hosts: readonly PostgresqlHost[]): typeof pg.Client => {
  let searching: Promise<PostgresqlHost> | undefined;
  const search = async (config: pg.ClientConfig): Promise<PostgresqlHost> => {
    try {
      return await Promise.any(hosts.map((host) => probe(config, host)));
    } catch (error) {
      throw error instanceof AggregateError ? pickReason(error.errors) : error;
    }
  };
  const findPrimary = (config: pg.ClientConfig): Promise<PostgresqlHost> => {
    searching ??= search(config).finally(() => {
      searching = undefined;
    });
    return searching;
  };

  return class PrimaryClient extends pg.Client {
    readonly #config: pg.ClientConfig;

    constructor(config: pg.ClientConfig) {
      super(config);
      this.#config = config;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Callback): void;
    override connect(callback?: Callback): Promise<pg.Client> | undefined {
      const connecting = this.#connectToPrimary();
      if (!callback) return connecting;
      connecting.then(
        (client) => callback(null, client),
        (error) => callback(error),
      );
      return undefined;
    }

    async #connectToPrimary(): Promise<pg.Client> {
      aim(this, await findPrimary(this.#config));
      await super.connect();
      try {
        // The server may have become a standby since the search.
        await refuseReadOnly(this);
      } catch (error) {
        this.end().catch(() => undefined);
        throw error;
      }
      return this;
    }
  } as typeof pg.Client;
};
