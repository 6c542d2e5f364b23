import type { IncomingMessage } from 'node:http';

/** What begins in one turn of the event loop. */
const MOST_TOGETHER = 64;
/** What webhooks may take of it if others are waiting. */
const MOST_WEBHOOKS = 48;
/** What one sender may take of it while webhooks of another arrive: they take several turns, so turns should be short. */
const MOST_BESIDE_WEBHOOKS = 16;
const WEBHOOKS_LAST_MS = 1_000;

/** By sender. */
type Lanes = Map<string, (() => void)[]>;

export const isWebhook = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/webhooks/');

/** Whether a request has something that may be a credential, valid or not. */
export const showsCredential = ({ headers }: IncomingMessage, sessionCookie: string): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(sessionCookie) ?? false);

const push = (lanes: Lanes, sender: string, begin: () => void): void => {
  const lane = lanes.get(sender);
  if (lane) lane.push(begin);
  else lanes.set(sender, [begin]);
};

type Turn = { lanes: Lanes; sender: string; lane: (() => void)[]; left: number };

/** One from each lane, then a second one from each, and so on. */
const takeFromEach = (turn: readonly Turn[], most: number): (() => void)[] => {
  const taken: (() => void)[] = [];
  for (let before = -1; before < taken.length; ) {
    before = taken.length;
    for (const place of turn) {
      const next = place.left > 0 && taken.length < most ? place.lane.shift() : undefined;
      if (!next) continue;
      place.left--;
      taken.push(next);
    }
  }
  return taken;
};

/** Lanes that had their turn go to the back. */
const takeTurns = (all: readonly Lanes[], most: number, mostOf: (sender: string) => number): (() => void)[] => {
  const turn = all.flatMap((lanes) =>
    Array.from(lanes.entries().take(most), ([sender, lane]) => ({ lanes, sender, lane, left: mostOf(sender) })),
  );
  const [only, ...others] = turn;
  if (!only) return [];
  const taken = others.length > 0 ? takeFromEach(turn, most) : only.lane.splice(0, Math.min(only.left, most));
  for (const { lanes, sender, lane } of turn) {
    lanes.delete(sender);
    if (lane.length > 0) lanes.set(sender, lane);
  }
  return taken;
};

/** Remembers whose webhooks arrived last, to tell each sender whether there are webhooks of another. */
const createWebhookWatch = () => {
  let [last, lastOfAnother] = [
    { sender: '', at: Number.NEGATIVE_INFINITY },
    { sender: '', at: Number.NEGATIVE_INFINITY },
  ];
  return {
    note(sender: string): void {
      if (sender !== last.sender) lastOfAnother = last;
      last = { sender, at: performance.now() };
    },
    hasOther(sender: string): boolean {
      const { at } = last.sender === sender ? lastOfAnother : last;
      return performance.now() - at < WEBHOOKS_LAST_MS;
    },
  };
};

/**
 * Requests that arrive in one turn of the event loop begin in the next, one after the other (decision 022). If there are
 * more than a few dozen, webhooks go first and senders take turns, so nobody waits behind everything that one sender
 * sends. Requests with a credential have a lane of their own: a customer may share an address with a stranger.
 */
export const createArrivals = (sessionCookie: string) => {
  const webhooks: Lanes = new Map();
  const strangers: Lanes = new Map();
  const callers: Lanes = new Map();
  const watch = createWebhookWatch();
  let scheduled = false;

  const mostOf = (sender: string): number => (watch.hasOther(sender) ? MOST_BESIDE_WEBHOOKS : MOST_TOGETHER);

  const beginSome = (): void => {
    const first = takeTurns([webhooks], strangers.size + callers.size > 0 ? MOST_WEBHOOKS : MOST_TOGETHER, mostOf);
    const then = takeTurns([strangers, callers], MOST_TOGETHER - first.length, mostOf);
    scheduled = webhooks.size + strangers.size + callers.size > 0;
    if (scheduled) setImmediate(beginSome);
    for (const begin of first) begin();
    for (const begin of then) begin();
  };

  return (request: IncomingMessage, sender: string, begin: () => void): void => {
    if (isWebhook(request)) {
      watch.note(sender);
      push(webhooks, sender, begin);
    } else push(showsCredential(request, sessionCookie) ? callers : strangers, sender, begin);
    if (!scheduled) setImmediate(beginSome);
    scheduled = true;
  };
};
