import type {
  PatchbayConnectAttributes as Attributes,
  Connected,
  Connecting,
  Disconnected,
  PatchbayConnectEvents as Events,
  PatchbayConnect as Published,
  Session,
} from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';
import { ask } from './ask-patchbay.ts';
import { connect } from './connect.ts';
import { openReturn } from './finish.ts';
import { type Listed, listTogether } from './list-connections.ts';
import { checkAddress, fetchSession } from './page-session.ts';
import { openSession } from './session.ts';

const NAME = 'patchbay-connect';
const STYLE = `:host { display: inline-block; } :host([hidden]) { display: none; } button { font: inherit; } [hidden] { display: none; }`;
const CONNECTING = 'Connecting…';
const FAILED = "That didn't work. Try again.";
/** Messages for errors that the user can do something about. All other errors are only in the event. */
const ADVICE: Readonly<Record<string, string>> = {
  'integrations.access_denied': 'Access was declined.',
  'integrations.key_refused': "The provider didn't accept this key.",
  'connect.expired': 'This took too long. Try again.',
  'connect.page_gone': 'You can close this window.',
  'http.unauthorized': 'Your session has expired. Reload the page, and try again.',
};

/** The state of the connection while nothing is in progress. */
type Standing = 'idle' | 'connected' | 'needs_reconnect';
type State = Standing | 'connecting' | 'failed';

/** Turns a status into a standing. A connection with temporary trouble counts as connected. */
const standingOf = (status: string | null | undefined): Standing => {
  if (status === 'connected' || status === 'degraded') return 'connected';
  return status === 'needs_reconnect' ? status : 'idle';
};

/** A button that connects an account, and shows which one is connected. */
export class PatchbayConnect extends HTMLElement implements Published {
  static readonly observedAttributes: (keyof Attributes)[] = ['label', 'provider', 'connection', 'session-url'];
  declare session?: NonNullable<Published['session']>;
  declare params?: NonNullable<Published['params']>;
  declare scopes?: NonNullable<Published['scopes']>;
  readonly #button = document.createElement('button');
  readonly #disconnect = document.createElement('button');
  readonly #cancel = document.createElement('button');
  readonly #message = document.createElement('span');
  readonly #postForSession = (): Promise<Session> => fetchSession(this.#sessionUrl, 'POST');
  #connecting: Connecting | null = null;
  #isReady = false;
  #standing: Standing = 'idle';
  #account: string | null = null;
  /** Whether the standing is from Patchbay, and not from the page's attributes. Only then can the user disconnect. */
  #isKnown = false;
  /** Counts changes. A response to a request from before a change is out of date. */
  #changes = 0;

  constructor() {
    super();
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    const parts = { button: this.#button, disconnect: this.#disconnect, cancel: this.#cancel, message: this.#message };
    for (const [part, element] of Object.entries(parts)) {
      element.setAttribute('part', part);
      root.append(element, ' ');
    }
    this.#message.setAttribute('role', 'status');
    this.#button.addEventListener('click', () => this.#begin());
    this.#disconnect.addEventListener('click', () => this.#end());
    this.#cancel.addEventListener('click', () => this.cancel());
  }

  /** Starts only once. Moving the element to another place on the page changes nothing. */
  connectedCallback(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#stand(standingOf(this.#read('state')), this.#read('account'), false);
    this.#rest();
    const returned = openReturn();
    // Skip this in a popup, which has nothing to show and closes.
    if (returned?.source !== null) void this.refresh();
    if (returned?.provider !== this.#provider || returned.connection !== this.#connection) return;
    if (returned.source !== null && returned.source !== this.#sessionUrl) return;
    this.#show('connecting', CONNECTING);
    void this.#settle(returned.finished);
  }

  attributeChangedCallback(name: string): void {
    if (!this.#isReady) return;
    if (name === 'label') this.#label();
    else {
      this.#stand('idle', null, false);
      this.cancel();
      void this.refresh();
    }
  }

  cancel(): void {
    this.#connecting?.cancel();
    this.#rest();
  }

  async refresh(): Promise<void> {
    const change = ++this.#changes;
    const all = await this.#list().catch(() => []);
    const listed = all.filter(({ provider }) => provider === this.#provider);
    if (listed.length === 0 || change !== this.#changes) return;
    const found = listed.find(({ connection }) => connection === this.#connection);
    this.#stand(standingOf(found?.status), found?.account?.label);
    const state = this.#read('state');
    if (state === 'failed') this.#show(state, this.#message.textContent);
    else if (state !== 'connecting') this.#rest();
  }

  #read(name: keyof Attributes): string | null {
    return this.getAttribute(name);
  }

  get #provider(): string {
    return this.#read('provider') ?? '';
  }

  get #sessionUrl(): string {
    return this.#read('session-url') ?? '';
  }

  get #connection(): string {
    return this.#read('connection') ?? 'default';
  }

  /** The address that sessions may be sent to. */
  get #url(): string {
    return checkAddress(this.#read('url'));
  }

  async #list(): Promise<Listed[]> {
    const address = this.#sessionUrl;
    return listTogether(this.session ?? address, this.#url, this.session ?? (() => fetchSession(address, 'GET')));
  }

  #label(): void {
    const isConnected = this.#standing !== 'idle';
    const label = isConnected ? (this.#read('reconnect-label') ?? 'Reconnect') : this.#read('label');
    this.#button.textContent = label ?? `Connect ${this.#provider}`;
    this.#disconnect.textContent = this.#read('disconnect-label') ?? 'Disconnect';
    this.#cancel.textContent = this.#read('cancel-label') ?? 'Cancel';
  }

  #stand(standing: Standing, account: string | null = null, isKnown = true): void {
    this.#standing = standing;
    this.#account = account;
    this.#isKnown = isKnown;
  }

  #rest(): void {
    const account = this.#account;
    const messages: Record<Standing, string> = {
      idle: '',
      connected: account ? `Connected as ${account}.` : 'Connected.',
      needs_reconnect: `${account ?? 'This account'} needs to be reconnected.`,
    };
    this.#show(this.#standing, messages[this.#standing]);
  }

  #show(state: State, message = '', isAsking = false): void {
    const focused = this.shadowRoot?.activeElement;
    this.setAttribute('state', state);
    this.#label();
    this.#button.hidden = isAsking;
    this.#disconnect.hidden = !this.#isKnown || this.#standing === 'idle' || state === 'connecting';
    this.#cancel.hidden = !isAsking && (state !== 'connecting' || !this.#connecting);
    this.#message.textContent = message;
    if (focused instanceof HTMLElement && focused.hidden) this.#button.focus();
  }

  #tell<Name extends keyof Events>(name: Name, detail: Events[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #begin(): void {
    let connecting: Connecting;
    try {
      connecting = connect({
        url: this.#url,
        session: this.session ?? this.#postForSession,
        source: this.#sessionUrl,
        provider: this.#provider,
        connection: this.#connection,
        ...(this.params ? { params: this.params } : {}),
        ...(this.scopes ? { scopes: this.scopes } : {}),
        returnTo: this.#read('return-to') ?? location.href,
      });
    } catch (reason) {
      this.#fail(reason);
      return;
    }
    // This is a second click while the first flow is in progress.
    if (connecting === this.#connecting) return;
    this.#connecting = connecting;
    this.#show('connecting', CONNECTING);
    void this.#settle(connecting);
  }

  /** Disconnects. The first click asks for confirmation, and the second one disconnects. */
  async #end(): Promise<void> {
    if (this.#cancel.hidden) return this.#show(this.#standing, `Disconnect ${this.#account ?? 'this account'}?`, true);
    this.#changes++;
    this.#show(this.#standing, 'Disconnecting…');
    try {
      const access = { url: this.#url, ...(await openSession(this.session ?? this.#postForSession)) };
      const connection = this.#connection;
      const ended = await ask<Disconnected>(access, `${encodeURIComponent(this.#provider)}/disconnect`, { connection });
      this.#stand('idle');
      this.#rest();
      this.#tell('patchbay-disconnected', { ...ended, connection });
    } catch (reason) {
      this.#fail(reason);
    }
  }

  /** Shows advice for errors that the user can do something about. Other errors are logged for the page's developer. */
  #fail(reason: unknown): void {
    const error = reason instanceof PatchbayError ? reason : new PatchbayError('connect.failed', String(reason));
    const isCanceled = error.code === 'connect.canceled';
    const advice = ADVICE[error.code];
    // biome-ignore lint/suspicious/noConsole: developers look there.
    if (!advice && !isCanceled) console.error(`${error.code}: ${error.message}`);
    if (isCanceled) this.#rest();
    else this.#show('failed', advice ?? FAILED);
    this.#tell(isCanceled ? 'patchbay-canceled' : 'patchbay-failed', error);
  }

  async #settle(finished: Promise<Connected | null>): Promise<void> {
    const isLast = (): boolean => this.#connecting === null || this.#connecting === finished;
    try {
      const connected = await finished;
      if (!connected || !isLast()) return;
      this.#changes++;
      this.#stand('connected', connected.account.label);
      this.#rest();
      this.#tell('patchbay-connected', connected);
    } catch (reason) {
      if (isLast()) this.#fail(reason);
    } finally {
      if (this.#connecting === finished) this.#connecting = null;
    }
  }
}

if (!customElements.get(NAME)) customElements.define(NAME, PatchbayConnect);
