import { PatchbayError } from '../patchbay-error.ts';
import { type Access, ask, type Connected } from './ask-patchbay.ts';
import { cancellation, complete, type Handover, RECEIVED, toHandover } from './handover.ts';
import { keepFlow, removeKept } from './kept-flow.ts';
import { newChannelId, toReturnAddress } from './return-address.ts';
import { openSession, type SessionSource } from './session.ts';

export type ConnectOptions = {
  /** Patchbay's address. */
  url: string;
  /** The token of a connect session, the response that created it, or a function that gets either when it's needed. */
  session: SessionSource;
  provider: string;
  /** Which one, if there can be several. Default: `default`. */
  connection?: string;
  params?: Readonly<Record<string, string>>;
  scopes?: readonly string[];
  /** A page of the same origin that calls `finish`. */
  returnTo: string;
};

/** Rejected with a `PatchbayError` unless the account is connected in the end. */
export type Connecting = Promise<Connected> & { cancel(): void };

type Flow = { begunAt: number; popup: Window | null; connecting: Connecting };

const DOUBLE_CLICK_MS = 1_000;
const WIDTH = 520;
const HEIGHT = 720;

/** What is under way on this page, by provider and connection. */
const flows = new Map<string, Flow>();

/** Must happen during the click. Null if the browser doesn't allow it. */
const openPopup = (): Window | null => {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  const popup = open('about:blank', '_blank', `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`);
  // The provider's page has no business with this one.
  if (popup) popup.opener = null;
  return popup;
};

/** Waits for the page that the browser comes back to. It's told that somebody was here. */
const receive = (id: string, signal: AbortSignal): Promise<Handover> =>
  new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(id);
    const stop = (): void => {
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

const leave = (popup: Window | null, connectUrl: string): void => {
  if (!/^https?:/.test(connectUrl)) throw new PatchbayError('connect.address_refused', 'Patchbay sent no address.');
  // It hasn't left this origin yet, so it's closed only if somebody closed it.
  if (popup?.closed) throw cancellation();
  if (popup) popup.location.replace(connectUrl);
  else location.assign(connectUrl);
};

const run = async (options: ConnectOptions, popup: Window | null, stopping: AbortController): Promise<Connected> => {
  const { url, provider, connection = 'default', params, scopes } = options;
  const { signal } = stopping;
  const id = newChannelId();
  const returnTo = toReturnAddress(options.returnTo, id);
  const { token, lifetimeMs } = await openSession(options.session);
  const access: Access = { url, token, signal };
  const late = new PatchbayError('connect.expired', 'This took too long. Connect again.');
  const timer = setTimeout(() => stopping.abort(late), lifetimeMs);
  try {
    const body = { connection, params, scopes, returnTo };
    const { connectUrl } = await ask<{ connectUrl: string }>(access, `${encodeURIComponent(provider)}/connect`, body);
    signal.throwIfAborted();
    if (!popup) keepFlow(id, { url, token, provider, connection });
    leave(popup, connectUrl);
    return await complete(access, { provider, connection }, await receive(id, signal));
  } finally {
    clearTimeout(timer);
    removeKept(id);
  }
};

/**
 * Connects an account, in a popup or, if the browser blocks that, on the whole page. Call it while a click is handled.
 * It doesn't end when the popup seems to be closed, because opener policies make it seem so.
 */
export const connect = (options: ConnectOptions): Connecting => {
  const key = JSON.stringify([options.url, options.provider, options.connection ?? 'default']);
  const known = flows.get(key);
  if (known) {
    if (!known.popup?.closed || Date.now() - known.begunAt < DOUBLE_CLICK_MS) {
      known.popup?.focus();
      return known.connecting;
    }
    known.connecting.cancel();
  }
  const popup = openPopup();
  const stopping = new AbortController();
  const cancel = (): void => stopping.abort(cancellation());
  // Whoever comes back with the Back button from the whole page has given up.
  const onBack = ({ persisted }: PageTransitionEvent): void => void (persisted && cancel());
  addEventListener('pageshow', onBack);
  const running = run(options, popup, stopping).finally(() => {
    removeEventListener('pageshow', onBack);
    popup?.close();
    if (flows.get(key) === flow) flows.delete(key);
  });
  const flow: Flow = { begunAt: Date.now(), popup, connecting: Object.assign(running, { cancel }) };
  flows.set(key, flow);
  return flow.connecting;
};
