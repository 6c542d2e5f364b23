import type { Secret } from '../../platform/index.ts';
import type { Values } from './placeholders.ts';

/** What the operator has set up for a provider. */
export type OperatorClient = { id: string; secret: Secret | null };

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
  operatorHas(provider: string): boolean;
  /** Whose client it would be, without its secret. */
  find(teamId: string, provider: string): Promise<Omit<Client, 'secret'> | null>;
  /** With its secret, for immediate use. Null if it has been removed. */
  open(teamId: string, provider: string, of: Client['of']): Promise<Client | null>;
  /** Not cached, because the status shows it and must not be older than it says. */
  listOwn(teamId: string): Promise<ReadonlyMap<string, Pick<Client, 'scopes'>>>;
  /** Call after a change in this process. */
  forget(): void;
};
