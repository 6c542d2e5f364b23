import type { Secret } from '../../platform/index.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { ConnectionKey } from '../connections/connection.ts';

/** A grant that another service got from a provider. */
export type ForeignGrant = {
  kind: 'oauth2';
  /** The OAuth app that got it. Only this one can refresh it. */
  clientId: string;
  accessToken: Secret;
  refreshToken: Secret | null;
  expiresAt: number | null;
  /** What was requested. Null if it isn't known. */
  scopes: readonly string[] | null;
  /** The provider's last token response, as far as it's known. */
  response: unknown;
};

/** A key that a person entered there. */
export type ForeignKey = { kind: 'key'; fields: Values };

export type ForeignWith<Credential> = Pick<ConnectionKey, 'provider' | 'name'> & {
  connectedAt: number;
  /** The params and what else the callback brought, by the names that the entry gives them. */
  values: Values;
  credential: Credential;
};

/** A connection as another service has it, in our words. */
export type ForeignConnection = ForeignWith<ForeignGrant> | ForeignWith<ForeignKey>;

/** The team that gets it, and the user who counts as the one who connected it. */
export type Adopter = { teamId: string; userId: string };

/** `present`: there is already one under this name, and it stays as it is. */
export type Adoption = 'adopted' | 'present';
