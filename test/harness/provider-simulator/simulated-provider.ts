import type { FullRecord } from '../../../src/integrations/catalogue/provider.ts';
import type { WebhookKey } from './webhook-key.ts';

/** `site_call` comes through the proxy. `verify` does, too, or the service sends it by itself. */
export type Kind = 'token' | 'refresh' | 'upgrade' | 'revoke' | 'identity' | 'sites' | 'verify' | 'site_call';
export type Values = Readonly<Record<string, string>>;

/** Quirks of a provider that its entry doesn't have to mention: our code must tolerate them anywhere. */
export type Quirks = {
  /** Of a token response that grants something. */
  status?: number;
  formAnswer?: boolean;
  /** Of every refusal: some use status 200. */
  errorStatus?: number;
  /** `null`: the response has none. */
  tokenType?: string | null;
  /** Seconds; `null`: the token does not expire and nothing is said. */
  expiresIn?: number | null;
  expiresInAs?: 'number' | 'string';
  /** An instant in place of a duration. */
  expiresAtAs?: 'seconds' | 'milliseconds' | 'iso';
  scopesAs?: 'joined' | 'space' | 'comma' | 'array' | 'absent';
  scopeField?: string;
  numericAccountId?: boolean;
  /** Which of the entry's `roots` holds the tokens. */
  root?: string;
  /** A refresh token that is used a second time ends the whole grant. */
  reuseEndsGrant?: boolean;
  /**
   * What a revocation that is answered with success really does. `nothing`: every token still works. `refresh_only`: the
   * access tokens outlive it, until they expire. Default: it ends what the entry says, and a refresh token ends with
   * every access token of its grant (RFC 7009, section 2.1).
   */
  revocation?: 'nothing' | 'refresh_only';
  /** For `keep`, if no plausible value can be found. */
  kept?: Values;
};

export type ProviderOptions = Quirks & { clientId?: string; clientSecret?: string; redirectUri?: string };

export type IssuedToken = {
  readonly value: string;
  readonly issuedAt: number;
  readonly expiresAt: number | null;
  /** Spent, upgraded or revoked: it works until then. */
  deadFrom: number | null;
  why: string;
};

export type Account = { id: string; label: string };

/** One of those that a consent covers, and what is kept of it. */
export type SimulatedSite = Account & { values: Values };

/** One consent of one account, and everything that was issued for it. */
export type Grant = {
  /** As the provider last showed it. */
  account: Account;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly code: string;
  /** Of the authorization request. */
  readonly state: string;
  readonly consentedAt: number;
  codeUsed: boolean;
  upgraded: boolean;
  usedAt: number;
  /**
   * What fills placeholders: the connect request's params, and what the callback, token response and identity response
   * have provided so far.
   */
  values: Values;
  /** What the token responses and the identity response will contain. */
  readonly kept: Values;
  /** As the provider last listed them, and the one that calls must be for. */
  sites: readonly SimulatedSite[];
  site: SimulatedSite | null;
  readonly access: IssuedToken[];
  readonly refresh: IssuedToken[];
};

export type SimulatedProvider = {
  readonly record: FullRecord;
  readonly quirks: Quirks;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What else belongs to the client. */
  readonly fields: Values;
  readonly webhookKey: WebhookKey;
  readonly redirectUri: string;
  readonly grants: Grant[];
  /** Random values that were already used, each of which must be used once. */
  readonly randoms: Set<string>;
};

/** What the simulator made of a request. */
export type LoggedRequest = {
  provider: string;
  kind: Kind;
  method: string;
  /** The address that was meant, without the query. */
  address: string;
  headers: Values;
  /** Of the query and of the body. */
  params: Values;
  status: number;
  /** Why it was refused. Empty if it wasn't. */
  reasons: readonly string[];
  fault: string | null;
  account: string | null;
  /** Which token of the grant it carried. */
  accessToken: string | null;
  refreshToken: string | null;
  at: number;
};
