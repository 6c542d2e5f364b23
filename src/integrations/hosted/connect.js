// packages/client/src/connect/index.ts, put together by "npm run generate".
class PatchbayError extends Error {
                    name = 'PatchbayError';
           code ;
           status ;
           requestId ;
           problem ;
  constructor(
    code ,
    message ,
    {
      status = 0,
      requestId = null,
      problem = null,
      ...options
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.problem = problem;
  }
}
const isRedirect = ({ type, status } ) =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);
const readProblem = async (response ) => {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const body = isProblem ? await response.json().catch(() => null) : null;
  const { code, detail } = Object(body) ;
  return typeof code === 'string' && typeof detail === 'string' ? (body ) : null;
};
const toError = async (response ) => {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const problem = await readProblem(response);
  if (problem) return new PatchbayError(problem.code, problem.detail, { status, requestId, problem });
  await response.body?.cancel().catch(() => undefined);
  if (isRedirect(response))
    return new PatchbayError(
      'client.redirected',
      "The address redirects, and redirects aren't followed with the token. Set `url` to Patchbay's own address.",
      { status, requestId },
    );
  const message = `The address responded with status ${status}, but not as Patchbay does.`;
  return new PatchbayError('client.unexpected_response', message, { status, requestId });
};
const unreachable = (url ) =>
  new PatchbayError(
    'connect.unreachable',
    `Patchbay at ${url} can't be reached from this page. If it's running, add ${location.origin} to its PATCHBAY_RETURN_ORIGINS.`,
  );
const ask = async ({ url, token, signal } , path , body ) => {
  const headers = { authorization: `Bearer ${token}` };
  if (body) headers['content-type'] = 'application/json';
  const response = await fetch(`${url.replace(/\/+$/, '')}/api/integrations/${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    credentials: 'omit',
    redirect: 'manual',
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  }).catch(() => {
    throw signal?.reason ?? unreachable(url);
  });
  if (!response.ok) throw await toError(response);
  return response.json() ;
};
const RECEIVED = 'received';
const CANCELED = 'connect.canceled';
const cancellation = () => new PatchbayError(CANCELED, 'Connecting was canceled.');
const failure = (code ) =>
  code === CANCELED ? cancellation() : new PatchbayError(code, `The account was not connected: ${code}.`);
const isAttempt = (value ) => typeof value === 'string' && /^[\w-]{43}$/.test(value);
const isCode = (value ) => typeof value === 'string' && /^\w+\.\w+$/.test(value);
const toHandover = (value ) => {
  const { attempt, outcome, error } = Object(value) ;
  if (isAttempt(attempt)) return { attempt };
  if (isCode(error)) return { error };
  return outcome === 'connected' ? { outcome } : null;
};
const findConnected = async (access , provider , name ) => {
  const { integrations } = await ask (access, 'status');
  const found = integrations.find((entry) => entry.provider === provider && entry.connection === name);
  if (found?.status !== 'connected') throw failure('integrations.not_connected');
  const { connection, account, siteNeeded } = found;
  return { provider, connection, outcome: 'connected', account, siteNeeded };
};
const complete = async (
  access ,
  { provider, connection } ,
  handover ,
) => {
  if ('error' in handover) throw failure(handover.error);
  if ('outcome' in handover) return findConnected(access, provider, connection);
  return ask (access, `${encodeURIComponent(provider)}/complete`, { attempt: handover.attempt });
};
const CHANNEL = 'patchbay';
const ADDED = [CHANNEL, 'provider', 'connection', 'outcome', 'error', 'attempt', 'siteNeeded'];
const ID_PREFIX = 'patchbay-';
const newChannelId = () =>
  `${ID_PREFIX}${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}`;
const toReturnAddress = (returnTo , id ) => {
  const address = URL.canParse(returnTo, location.href) ? new URL(returnTo, location.href) : null;
  if (address?.origin !== location.origin)
    throw new PatchbayError('connect.return_refused', '`returnTo` must be a page of the same origin.');
  address.searchParams.set(CHANNEL, id);
  return address.href;
};
const takeReturn = () => {
  const address = new URL(location.href);
  const { [CHANNEL]: id = '', ...query } = Object.fromEntries(address.searchParams);
  if (!/^patchbay-\w+$/.test(id)) return null;
  for (const name of ADDED) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
  return { ...query, id };
};
const withStorage = (look ) => {
  try {
    return look(sessionStorage);
  } catch {
    return null;
  }
};
const keepFlow = (id , flow ) => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(ID_PREFIX)) sessionStorage.removeItem(key);
  sessionStorage.setItem(id, JSON.stringify(flow));
};
const removeKept = (id ) => void withStorage((storage) => storage.removeItem(id));
const takeKept = (id ) => {
  const kept = withStorage((storage) => storage.getItem(id));
  removeKept(id);
  return kept ? JSON.parse(kept) : null;
};
const FLOW_MS = 600_000;
const SHORTEST_MS = 60_000;
const lifetimeOf = (expiresAt ) => {
  const ms = expiresAt === undefined ? FLOW_MS : Date.parse(expiresAt) - Date.now();
  return Number.isNaN(ms) ? FLOW_MS : Math.min(Math.max(ms, SHORTEST_MS), FLOW_MS);
};
const openSession = async (source ) => {
  const given = await (typeof source === 'function' ? source() : source);
  const { token, expiresAt } = typeof given === 'string' ? { token: given, expiresAt: undefined } : Object(given);
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token))
    throw new PatchbayError('connect.session_missing', 'A connect session is needed.');
  return { token, lifetimeMs: lifetimeOf(expiresAt) };
};
const DOUBLE_CLICK_MS = 1_000;
const WIDTH = 520;
const HEIGHT = 720;
const flows = new Set ();
const openPopup = () => {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  const popup = open('about:blank', '_blank', `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`);
  if (!popup || popup.closed) return null;
  popup.opener = null;
  return popup;
};
const receive = (id , signal ) =>
  new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(id);
    const stop = () => {
      channel.close();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    channel.onmessage = ({ data }) => {
      const handover = toHandover(data);
      if (!handover) return;
      channel.postMessage(RECEIVED);
      channel.close();
      signal.removeEventListener('abort', stop);
      resolve(handover);
    };
  });
const stopped = (signal ) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
const run = async (options , popup , stopping ) => {
  const { url, provider, connection = 'default', params, scopes, source = '' } = options;
  const { signal } = stopping;
  const id = newChannelId();
  const returnTo = toReturnAddress(options.returnTo, id);
  const { token, lifetimeMs } = await Promise.race([openSession(options.session), stopped(signal)]);
  const access = { url, token, signal };
  const late = new PatchbayError('connect.expired', 'This took too long. Connect again.');
  const timer = setTimeout(() => stopping.abort(late), lifetimeMs);
  try {
    const body = { connection, params, scopes, returnTo };
    const { connectUrl } = await ask (access, `${encodeURIComponent(provider)}/connect`, body);
    signal.throwIfAborted();
    if (!/^https?:/.test(connectUrl)) throw new PatchbayError('connect.address_refused', 'Patchbay sent no address.');
    if (!popup) {
      keepFlow(id, { url, token, provider, connection, source });
      location.assign(connectUrl);
      return await stopped(signal);
    }
    if (popup.closed) throw cancellation();
    popup.location.replace(connectUrl);
    return await complete(access, { provider, connection }, await receive(id, signal));
  } finally {
    clearTimeout(timer);
    removeKept(id);
  }
};
const tokenOf = (session ) =>
  typeof session === 'object' && 'token' in session ? session.token : session;
const isSame = (flow , options , target ) => {
  const { url, provider, connection = 'default', session } = flow.options;
  if (url !== options.url || provider !== options.provider || connection !== (options.connection ?? 'default'))
    return false;
  return tokenOf(session) === tokenOf(options.session) || (target !== null && target === flow.target && isFresh(flow));
};
const isFresh = ({ begunAt } ) => Date.now() - begunAt < DOUBLE_CLICK_MS;
const connect = (options ) => {
  const target = globalThis.event?.target ?? null;
  const known = [...flows].find((flow) => isSame(flow, options, target));
  if (known && (!known.popup?.closed || isFresh(known))) {
    known.popup?.focus();
    return known.connecting;
  }
  known?.connecting.cancel();
  const popup = openPopup();
  const stopping = new AbortController();
  const cancel = () => stopping.abort(cancellation());
  const onBack = ({ persisted } ) => {
    if (persisted && !popup) cancel();
  };
  addEventListener('pageshow', onBack);
  const running = run(options, popup, stopping).finally(() => {
    removeEventListener('pageshow', onBack);
    popup?.close();
    flows.delete(flow);
  });
  const connecting = Object.assign(running, { cancel });
  const flow = { options, target, begunAt: Date.now(), popup, connecting };
  flows.add(flow);
  return connecting;
};
const ANSWER_MS = 3_000;
let current = null;
const handOver = (id , handover ) =>
  new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(id);
    const gone = new PatchbayError(
      'connect.page_gone',
      'The page where this began has not responded. Close this window, and connect again if needed.',
    );
    const timer = setTimeout(() => reject(gone), ANSWER_MS);
    channel.onmessage = ({ data }) => {
      if (data !== RECEIVED) return;
      clearTimeout(timer);
      channel.close();
      resolve(null);
      close();
    };
    channel.postMessage(handover);
  });
const openReturn = () => {
  const { id, provider = '', connection = 'default', ...query } = takeReturn() ?? {};
  if (id === undefined) return current;
  const handover = toHandover(query) ?? { error: 'connect.canceled' };
  const kept = takeKept(id);
  const finished = kept ? complete(kept, kept, handover) : handOver(id, handover);
  current = { provider, connection, source: kept?.source ?? null, finished };
  return current;
};
const finish = () => openReturn()?.finished ?? Promise.resolve(null);
const NAME = 'patchbay-connect';
const STYLE = `:host { display: inline-block; } :host([hidden]) { display: none; } button { font: inherit; } [hidden] { display: none; }`;
const CONNECTING = 'Connecting…';
const FAILED = 'Connecting failed. Try again.';
const ADVICE = {
  'integrations.access_denied': 'Access was declined.',
  'integrations.key_refused': "The provider didn't accept this key.",
  'connect.expired': 'This took too long. Try again.',
  'connect.page_gone': 'You can close this window.',
  'http.unauthorized': 'Your session has expired. Reload the page, and try again.',
};
const fetchSession = async (address ) => {
  const { href, origin } = new URL(address, document.baseURI);
  const isOurs = address !== '' && origin === location.origin;
  const response = isOurs ? await fetch(href, { method: 'POST', redirect: 'error' }) : null;
  if (response?.ok) return response.json();
  throw new PatchbayError('connect.session_missing', `"${address}" created no session.`, {
    status: response?.status ?? 0,
  });
};
const HOME = new URL('.', import.meta.url);
const isPatchbay = (url ) =>
  HOME.origin === location.origin || (URL.canParse(url) && new URL(url).origin === HOME.origin);
class PatchbayConnect extends HTMLElement {
  static observedAttributes = ['label', 'provider'];
           #button = document.createElement('button');
           #cancel = document.createElement('button');
           #message = document.createElement('span');
           #getSession = () => fetchSession(this.#sessionUrl);
  #connecting = null;
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
  connectedCallback() {
    if (this.hasAttribute('state')) return;
    this.#show('idle');
    const returned = openReturn();
    if (returned?.provider !== this.#provider || returned.connection !== this.#connection) return;
    if (returned.source !== null && returned.source !== this.#sessionUrl) return;
    this.#show('connecting', CONNECTING);
    void this.#settle(returned.finished);
  }
  attributeChangedCallback() {
    this.#label();
  }
  cancel() {
    this.#connecting?.cancel();
  }
  get #provider() {
    return this.getAttribute('provider') ?? '';
  }
  get #sessionUrl() {
    return this.getAttribute('session-url') ?? '';
  }
  get #connection() {
    return this.getAttribute('connection') ?? 'default';
  }
  #label() {
    this.#button.textContent = this.getAttribute('label') ?? `Connect ${this.#provider}`;
    this.#cancel.textContent = this.getAttribute('cancel-label') ?? 'Cancel';
  }
  #show(state , message = '') {
    this.setAttribute('state', state);
    this.#label();
    this.#cancel.hidden = state !== 'connecting' || !this.#connecting;
    this.#message.textContent = message;
  }
  #tell(name , detail ) {
    this.dispatchEvent(new CustomEvent(`patchbay-${name}`, { detail, bubbles: true, composed: true }));
  }
  #connect() {
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
    if (connecting === this.#connecting) return;
    this.#connecting = connecting;
    this.#show('connecting', CONNECTING);
    void this.#settle(connecting);
  }
  #fail({ code, message } ) {
    const advice = ADVICE[code];
    if (!advice) console.error(`${code}: ${message}`);
    this.#show('failed', advice ?? FAILED);
  }
  async #settle(finished ) {
    const isLast = () => this.#connecting === null || this.#connecting === finished;
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
export { PatchbayError, connect, finish, PatchbayConnect };
