/** The types of `/connect.js`, which Patchbay serves: `import type {} from '@patchbay/client/connect'`. */
import type { PatchbayError } from './dist/index.js';

export type Session = string | { token: string; expiresAt?: string | undefined };
export type SessionSource = Session | Promise<Session> | (() => Session | Promise<Session>);

export type Connected = {
  provider: string;
  connection: string;
  outcome: 'connected';
  account: { id: string | null; label: string | null };
  /** The account that this one has replaced. Null if there was none, or if it's the same. */
  previousAccount: { id: string | null; label: string | null } | null;
  siteNeeded: boolean;
};

export type Disconnected = { provider: string; connection: string; status: 'disconnected'; revocation: string };

export type ConnectOptions = {
  url: string;
  session: SessionSource;
  provider: string;
  connection?: string;
  params?: Readonly<Record<string, string>>;
  scopes?: readonly string[];
  returnTo: string;
};

export type Connecting = Promise<Connected> & { cancel(): void };

/** The exports of the module that is imported from Patchbay's address. */
export type Connect = {
  connect(options: ConnectOptions): Connecting;
  finish(): Promise<Connected | null>;
};

export type PatchbayConnectEvents = {
  'patchbay-connected': CustomEvent<Connected>;
  'patchbay-disconnected': CustomEvent<Disconnected>;
  'patchbay-failed': CustomEvent<PatchbayError>;
  'patchbay-canceled': CustomEvent<PatchbayError>;
};

/** The element `<patchbay-connect>`. */
export interface PatchbayConnect extends HTMLElement {
  session?: SessionSource;
  params?: Readonly<Record<string, string>>;
  scopes?: readonly string[];
  cancel(): void;
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
