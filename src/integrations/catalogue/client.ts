import type { KeyObject } from 'node:crypto';
import type { Secret } from '../../platform/index.ts';
import type { Values } from './placeholders.ts';

export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number];

/** What a client signs with, to prove who it is (RFC 7523). */
export type ClientKey = {
  key: KeyObject;
  /** By which the provider finds the public key, if it has several. */
  keyId: string | null;
  /** What it can be used with, at least one. */
  algorithms: readonly AssertionAlgorithm[];
};

/** What the operator has set up for a provider. A client has a secret or a key, or neither if it's public. */
export type OperatorClient = {
  id: string;
  secret: Secret | null;
  key?: ClientKey;
  /** What else comes with it, by the names in the entry's `clientFields`. */
  fields?: Readonly<Record<string, Secret>>;
};

/** As values for placeholders, for immediate use. */
export const revealFields = ({ fields = {} }: Pick<OperatorClient, 'fields'>): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, secret]) => [name, secret.reveal()]));

/** The client that makes a request, and whose it is. */
export type Client = OperatorClient & {
  of: 'operator' | 'team';
  /** For a team's own client: where it was registered. It goes there, and to the entry's domains. */
  params: Values;
  /** What a team's own client requests, if the team has said so. */
  scopes: readonly string[] | null;
};

/** Which client a team uses at a provider: its own, or else the operator's. */
export type Clients = {
  /** A complete one. */
  operatorHas(provider: string): boolean;
  /** Whose client it would be, without its secret. */
  find(teamId: string, provider: string): Promise<Omit<Client, 'secret' | 'fields'> | null>;
  /** With its secret, for immediate use. Null if it has been removed. */
  open(teamId: string, provider: string, of: Client['of']): Promise<Client | null>;
  /** Not cached, because the status shows it and must not be older than it says. */
  listOwn(teamId: string): Promise<ReadonlyMap<string, Pick<Client, 'scopes'>>>;
  /** Call after a change in this process. */
  forget(): void;
};
