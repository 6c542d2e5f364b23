import type { Connected } from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';
import { complete, type Handover, RECEIVED, toHandover } from './handover.ts';
import { takeKept } from './kept-flow.ts';
import { takeReturn } from './return-address.ts';

const ANSWER_MS = 3_000;

/**
 * The connection that the browser came back with, and its result. `source` is null in a popup, because it's known to
 * the page that opened the popup.
 */
export type Return = {
  provider: string;
  connection: string;
  source: string | null;
  finished: Promise<Connected | null>;
};

let current: Return | null = null;

/** Passes the result on to the page that has the session, and closes this popup when that page has responded. */
const handOver = (id: string, handover: Handover): Promise<null> =>
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

export const openReturn = (): Return | null => {
  const { id, provider = '', connection = 'default', ...query } = takeReturn() ?? {};
  if (id === undefined) return current;
  // Without an outcome, the user followed the link back from a page that said what went wrong.
  const handover = toHandover(query) ?? { error: 'connect.canceled' };
  const kept = takeKept(id);
  const finished = kept ? complete(kept, kept, handover) : handOver(id, handover);
  current = { provider, connection, source: kept?.source ?? null, finished };
  return current;
};

/**
 * Call this on the page that the browser comes back to. In a popup, the page that opened it finishes the flow, and this
 * window closes. On the whole page, it resolves to what is connected now. If the browser isn't coming back from a flow,
 * it resolves to null.
 */
export const finish = (): Promise<Connected | null> => openReturn()?.finished ?? Promise.resolve(null);
