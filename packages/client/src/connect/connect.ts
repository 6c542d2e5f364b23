import type { Account, Connected, Connecting, ConnectOptions, SessionSource } from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';
import { type Access, ask } from './ask-patchbay.ts';
import { cancellation, complete, type Handover, RECEIVED, toHandover } from './handover.ts';
import { keepFlow, removeKept } from './kept-flow.ts';
import { newChannelId, toReturnAddress } from './return-address.ts';
import { openSession } from './session.ts';

/** `source` identifies the button, so that the right one shows the result when the whole page comes back. */
type Options = ConnectOptions & { source?: string };

type Flow = {
  options: ConnectOptions;
  target: EventTarget | null;
  begunAt: number;
  popup: Window | null;
  connecting: Connecting;
};

const DOUBLE_CLICK_MS = 1_000;
const WIDTH = 520;
const HEIGHT = 720;

/** The flows in progress on this page. */
const flows = new Set<Flow>();

/** Opens a popup. Must happen during the click. Null if the browser doesn't allow it. */
const openPopup = (): Window | null => {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  const popup = open('about:blank', '_blank', `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`);
  if (!popup || popup.closed) return null;
  // The provider's page must not have access to this one.
  popup.opener = null;
  return popup;
};

/** Waits for a message from the page that the popup comes back to, and tells that page that it was received. */
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

const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const run = async (options: Options, popup: Window | null, stopping: AbortController): Promise<Connected> => {
  const { url, provider, connection = 'default', params, scopes, source = '' } = options;
  const { signal } = stopping;
  const id = newChannelId();
  const returnTo = toReturnAddress(options.returnTo, id);
  const { token, lifetimeMs } = await Promise.race([openSession(options.session), stopped(signal)]);
  const access: Access = { url, token, signal };
  const late = new PatchbayError('connect.expired', 'This took too long. Connect again.');
  const timer = setTimeout(() => stopping.abort(late), lifetimeMs);
  try {
    const body = { connection, params, scopes, returnTo };
    const path = `${encodeURIComponent(provider)}/connect`;
    const { connectUrl, replaces } = await ask<{ connectUrl: string; replaces: Account | null }>(access, path, body);
    const begun = { provider, connection, replaces };
    signal.throwIfAborted();
    if (!/^https?:/.test(connectUrl)) throw new PatchbayError('connect.address_refused', 'Patchbay sent no address.');
    if (!popup) {
      keepFlow(id, { ...begun, url, token, source });
      location.assign(connectUrl);
      // Only reached if the user comes back with the Back button.
      return await stopped(signal);
    }
    // The popup hasn't left this origin yet, so `closed` can be trusted: the user has closed it.
    if (popup.closed) throw cancellation();
    popup.location.replace(connectUrl);
    return await complete(access, begun, await receive(id, signal));
  } finally {
    clearTimeout(timer);
    removeKept(id);
  }
};

const tokenOf = (session: SessionSource): unknown =>
  typeof session === 'object' && 'token' in session ? session.token : session;

/**
 * Whether this is the same flow. A page may have the same button for several customers, which only the session tells
 * apart.
 */
const isSame = (flow: Flow, options: ConnectOptions, target: EventTarget | null): boolean => {
  const { url, provider, connection = 'default', session } = flow.options;
  if (url !== options.url || provider !== options.provider || connection !== (options.connection ?? 'default'))
    return false;
  return tokenOf(session) === tokenOf(options.session) || (target !== null && target === flow.target && isFresh(flow));
};

const isFresh = ({ begunAt }: Flow): boolean => Date.now() - begunAt < DOUBLE_CLICK_MS;

/**
 * Connects an account, in a popup or, if the browser blocks that, on the whole page. Call it while a click is handled.
 * The flow doesn't end when the popup seems to be closed, because opener policies make it seem so. A second click
 * returns the same flow, or begins again if the popup is gone.
 */
export const connect = (options: Options): Connecting => {
  const target = globalThis.event?.target ?? null;
  const known = [...flows].find((flow) => isSame(flow, options, target));
  if (known && (!known.popup?.closed || isFresh(known))) {
    known.popup?.focus();
    return known.connecting;
  }
  known?.connecting.cancel();
  const popup = openPopup();
  const stopping = new AbortController();
  const cancel = (): void => stopping.abort(cancellation());
  const onBack = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && !popup) cancel();
  };
  addEventListener('pageshow', onBack);
  const running = run(options, popup, stopping).finally(() => {
    removeEventListener('pageshow', onBack);
    popup?.close();
    flows.delete(flow);
  });
  const connecting = Object.assign(running, { cancel });
  const flow: Flow = { options, target, begunAt: Date.now(), popup, connecting };
  flows.add(flow);
  return connecting;
};
