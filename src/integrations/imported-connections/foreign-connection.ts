import type { Secret } from '../../platform/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { ConnectionKey } from '../connections/connection.ts';

/** A grant that a provider gave to another service. */
export type ForeignGrant = {
  kind: 'oauth2';
  /** The OAuth app that got the grant. No other app can refresh it. */
  clientId: string;
  accessToken: Secret;
  refreshToken: Secret | null;
  expiresAt: number | null;
  /** The scopes that were requested. Null if they aren't known. */
  scopes: readonly string[] | null;
  /** The provider's last token response, as far as it's known. */
  response: unknown;
};

/** A key that a person entered at another service. */
export type ForeignKey = { kind: 'key'; fields: Values };

export type ForeignWith<Credential> = Pick<ConnectionKey, 'provider' | 'name'> & {
  connectedAt: number;
  /** Values of the entry's params and of the callback, by their names in the entry. */
  values: Values;
  credential: Credential;
};

/** A connection of another service, translated into our fields. */
export type ForeignConnection = ForeignWith<ForeignGrant> | ForeignWith<ForeignKey>;

/** The team that gets a connection, and the user who is recorded as having connected it. */
export type Adopter = { teamId: string; userId: string };

/** `present`: there is already a connection with this name, and it stays as it is. */
export type Adoption = 'adopted' | 'present';
