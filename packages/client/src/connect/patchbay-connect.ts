import { PatchbayError } from '../patchbay-error.ts';
import type { Connected } from './ask-patchbay.ts';
import { type Connecting, type ConnectOptions, connect } from './connect.ts';
import { openReturn } from './finish.ts';
import type { Session, SessionSource } from './session.ts';

const NAME = 'patchbay-connect';
const STYLE = `:host { display: inline-block; } :host([hidden]) { display: none; } button { font: inherit; } [hidden] { display: none; }`;
const CONNECTING = 'Connecting…';
const FAILED = 'Connecting failed. Try again.';
/** What people can do something about. Everything else is in the event. */
const ADVICE: Readonly<Record<string, string>> = {
  'integrations.access_denied': 'Access was declined.',
  'integrations.key_refused': "The provider didn't accept this key.",
  'connect.expired': 'This took too long. Try again.',
  'connect.page_gone': 'You can close this window.',
  'http.unauthorized': 'Your session has expired. Reload the page, and try again.',
};

type State = 'idle' | 'connecting' | 'connected' | 'failed';

const fetchSession = async (address: string): Promise<Session> => {
  const { href, origin } = new URL(address, document.baseURI);
  const isOurs = address !== '' && origin === location.origin;
  const response = isOurs ? await fetch(href, { method: 'POST', redirect: 'error' }) : null;
  if (response?.ok) return response.json();
  throw new PatchbayError('connect.session_missing', `"${address}" created no session.`, {
    status: response?.status ?? 0,
  });
};

/** Where this script came from: Patchbay, or the product itself if it has a copy. */
const HOME = new URL('.', import.meta.url);

/** Whoever can add elements to a page, but no scripts, must not have its sessions sent elsewhere. */
const isPatchbay = (url: string): boolean =>
  HOME.origin === location.origin || (URL.canParse(url) && new URL(url).origin === HOME.origin);

/** A button that connects an account. */
export class PatchbayConnect extends HTMLElement {
  static readonly observedAttributes = ['label', 'provider'];

  /** As for `connect`. There's no such attribute: tokens in HTML end up in caches and recordings of the screen. */
  declare session?: SessionSource;
  declare params?: NonNullable<ConnectOptions['params']>;
  declare scopes?: NonNullable<ConnectOptions['scopes']>;
  readonly #button = document.createElement('button');
  readonly #cancel = document.createElement('button');
  readonly #message = document.createElement('span');
  readonly #getSession = (): Promise<Session> => fetchSession(this.#sessionUrl);
  #connecting: Connecting | null = null;

  constructor() {
    super();
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    const parts = { button: this.#button, cancel: this.#cancel, message: this.#message };
    for (const [part, element] of Object.entries(parts)) element.setAttribute('part', part);
    this.#button.type = this.#cancel.type = 'button';
    this.#message.setAttribute('role', 'status');
    this.#button.addEventListener('click', () => this.#connect());
    this.#cancel.addEventListener('click', () => this.cancel());
    root.append(this.#button, ' ', this.#cancel, ' ', this.#message);
  }

  /** Being moved to another place on the page changes nothing. */
  connectedCallback(): void {
    if (this.hasAttribute('state')) return;
    this.#show('idle');
    const returned = openReturn();
    if (returned?.provider !== this.#provider || returned.connection !== this.#connection) return;
    if (returned.source !== null && returned.source !== this.#sessionUrl) return;
    this.#show('connecting', CONNECTING);
    void this.#settle(returned.finished);
  }

  attributeChangedCallback(): void {
    this.#label();
  }

  cancel(): void {
    this.#connecting?.cancel();
  }

  get #provider(): string {
    return this.getAttribute('provider') ?? '';
  }

  get #sessionUrl(): string {
    return this.getAttribute('session-url') ?? '';
  }

  get #connection(): string {
    return this.getAttribute('connection') ?? 'default';
  }

  #label(): void {
    this.#button.textContent = this.getAttribute('label') ?? `Connect ${this.#provider}`;
    this.#cancel.textContent = this.getAttribute('cancel-label') ?? 'Cancel';
  }

  #show(state: State, message = ''): void {
    this.setAttribute('state', state);
    this.#label();
    this.#cancel.hidden = state !== 'connecting' || !this.#connecting;
    this.#message.textContent = message;
  }

  #tell(name: string, detail: Connected | PatchbayError): void {
    this.dispatchEvent(new CustomEvent(`patchbay-${name}`, { detail, bubbles: true, composed: true }));
  }

  #connect(): void {
    const url = this.getAttribute('url') ?? HOME.href;
    if (!isPatchbay(url)) {
      const refused = new PatchbayError('connect.url_refused', `\`url\` must be ${HOME.origin}, as for the script.`);
      this.#fail(refused);
      this.#tell('failed', refused);
      return;
    }
    const connecting = connect({
      url,
      session: this.session ?? this.#getSession,
      source: this.#sessionUrl,
      provider: this.#provider,
      connection: this.#connection,
      ...(this.params ? { params: this.params } : {}),
      ...(this.scopes ? { scopes: this.scopes } : {}),
      returnTo: this.getAttribute('return-to') ?? location.href,
    });
    // A second click, while the first is under way.
    if (connecting === this.#connecting) return;
    this.#connecting = connecting;
    this.#show('connecting', CONNECTING);
    void this.#settle(connecting);
  }

  /** What the user can do something about is on the page. The rest is for whoever builds it. */
  #fail({ code, message }: PatchbayError): void {
    const advice = ADVICE[code];
    // biome-ignore lint/suspicious/noConsole: they look there.
    if (!advice) console.error(`${code}: ${message}`);
    this.#show('failed', advice ?? FAILED);
  }

  async #settle(finished: Promise<Connected | null>): Promise<void> {
    const isLast = (): boolean => this.#connecting === null || this.#connecting === finished;
    try {
      const connected = await finished;
      if (!connected || !isLast()) return;
      this.#show('connected', `Connected${connected.account.label ? ` as ${connected.account.label}` : ''}.`);
      this.#tell('connected', connected);
    } catch (reason) {
      const error = reason instanceof PatchbayError ? reason : new PatchbayError('connect.failed', String(reason));
      if (!isLast()) return;
      if (error.code === 'connect.canceled') this.#show('idle');
      else this.#fail(error);
      this.#tell(error.code === 'connect.canceled' ? 'canceled' : 'failed', error);
    } finally {
      if (this.#connecting === finished) this.#connecting = null;
    }
  }
}

if (!customElements.get(NAME)) customElements.define(NAME, PatchbayConnect);
