/** The types of `/connect.js`, which Patchbay serves: `import type {} from '@patchbay/client/connect'`. */
import type { PatchbayError } from './dist/index.js';

/** The response that created the connect session, or only its token. */
export type Session = string | { token: string; expiresAt?: string | undefined };

/** A connect session, or a function that gets one when it's needed. */
export type SessionSource = Session | Promise<Session> | (() => Session | Promise<Session>);

export type Account = { id: string | null; label: string | null };

export type Connected = {
  provider: string;
  connection: string;
  outcome: 'connected';
  account: Account;
  /** The account that this one has replaced. Null if there was none, or if it's the same. */
  previousAccount: Account | null;
  /** Whether a site has to be chosen, with `PUT /api/integrations/{provider}/site`. */
  siteNeeded: boolean;
};

export type Disconnected = { provider: string; connection: string; status: 'disconnected'; revocation: string };

export type ConnectOptions = {
  /** Patchbay's address. */
  url: string;
  session: SessionSource;
  provider: string;
  /** The name of the connection, if there can be several. Default: `default`. */
  connection?: string;
  params?: Readonly<Record<string, string>>;
  scopes?: readonly string[];
  /** A page of the same origin that calls `finish`. */
  returnTo: string;
};

/** Rejects with a `PatchbayError` unless the account is connected in the end. */
export type Connecting = Promise<Connected> & { cancel(): void };

/** The exports of the module that is imported from Patchbay's address. */
export type Connect = {
  connect(options: ConnectOptions): Connecting;
  finish(): Promise<Connected | null>;
  PatchbayError: typeof PatchbayError;
  PatchbayConnect: new () => PatchbayConnect;
};

export type PatchbayConnectEvents = {
  'patchbay-connected': CustomEvent<Connected>;
  'patchbay-disconnected': CustomEvent<Disconnected>;
  'patchbay-failed': CustomEvent<PatchbayError>;
  'patchbay-canceled': CustomEvent<PatchbayError>;
};

/** The element `<patchbay-connect>`. */
export interface PatchbayConnect extends HTMLElement {
  /** There's no such attribute, because tokens in HTML end up in caches and screen recordings. */
  session?: SessionSource;
  params?: Readonly<Record<string, string>>;
  scopes?: readonly string[];
  cancel(): void;
  /** Asks Patchbay which account is connected. If Patchbay can't say, nothing changes. */
  refresh(): Promise<void>;
}

/** The attributes of `<patchbay-connect>`, for a framework's own JSX types. */
export type PatchbayConnectAttributes = {
  provider: string;
  'session-url'?: string;
  url?: string;
  connection?: string;
  'return-to'?: string;
  label?: string;
  'reconnect-label'?: string;
  'disconnect-label'?: string;
  'cancel-label'?: string;
  state?: string;
  account?: string;
};

declare global {
  interface HTMLElementTagNameMap {
    'patchbay-connect': PatchbayConnect;
  }
  interface HTMLElementEventMap extends PatchbayConnectEvents {}
}
