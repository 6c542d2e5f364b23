import type { KeyObject } from 'node:crypto';
import type { Secret } from '../../platform/index.ts';
import type { Values } from './placeholders.ts';

export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number];

/** The private key with which a client authenticates (RFC 7523). */
export type ClientKey = {
  key: KeyObject;
  /** Tells the provider which public key to verify with, if it has several. */
  keyId: string | null;
  /** The algorithms that the key can be used with. At least one. */
  algorithms: readonly AssertionAlgorithm[];
};

/** The client that the operator has set up for a provider. It has a secret or a key, or neither if it's public. */
export type OperatorClient = {
  id: string;
  secret: Secret | null;
  key?: ClientKey;
  /** Values of the entry's `clientFields`, by name. */
  fields?: Readonly<Record<string, Secret>>;
};

/** Reveals the client's fields as values for placeholders, for immediate use. */
export const revealFields = ({ fields = {} }: Pick<OperatorClient, 'fields'>): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, secret]) => [name, secret.reveal()]));

/** The client that makes a request, and its owner. */
export type Client = OperatorClient & {
  of: 'operator' | 'team';
  /**
   * The params that a team's own client was set up with. Its secret and tokens may be sent to the hosts that these
   * params name, besides the entry's domains.
   */
  params: Values;
  /** The scopes that a team's own client requests. Null if the team has set none. */
  scopes: readonly string[] | null;
};

/** Which client a team uses at a provider: its own, or else the operator's. */
export type Clients = {
  /** Whether the operator has a complete client for this provider. */
  operatorHas(provider: string): boolean;
  /** Finds the client that the team uses, without its secret. */
  find(teamId: string, provider: string): Promise<Omit<Client, 'secret' | 'fields'> | null>;
  /** Opens the client with its secret, for immediate use. Null if the client has been removed. */
  open(teamId: string, provider: string, of: Client['of']): Promise<Client | null>;
  /** Lists the team's own clients by provider. Not cached: the status of integrations includes them. */
  listOwn(teamId: string): Promise<ReadonlyMap<string, Pick<Client, 'scopes'>>>;
  /** Empties the cache. Call it after changing a client in this process. */
  forget(): void;
};
