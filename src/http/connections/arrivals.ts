import type { IncomingMessage } from 'node:http';

/** What begins in one turn of the event loop. */
const MOST_TOGETHER = 64;
/** What webhooks may take of it if others are waiting. */
const MOST_WEBHOOKS = 48;
/** What one sender may take of it while webhooks of another arrive: they take several turns, so turns should be short. */
const MOST_BESIDE_WEBHOOKS = 16;
const WEBHOOKS_LAST_MS = 1_000;

/** What is to begin, by sender. The sender whose turn is next comes first. */
type BySender = Map<string, (() => void)[]>;

export const isWebhook = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/webhooks/');

/** Whether a request has something that may be a credential, valid or not. */
export const showsCredential = ({ headers }: IncomingMessage, sessionCookie: string): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(sessionCookie) ?? false);

const push = (waiting: BySender, sender: string, begin: () => void): void => {
  const own = waiting.get(sender);
  if (own) own.push(begin);
  else waiting.set(sender, [begin]);
};

type Turn = { waiting: BySender; sender: string; own: (() => void)[]; left: number };

/** One from each sender, then a second one from each, and so on. */
const takeFromEach = (turn: readonly Turn[], most: number): (() => void)[] => {
  const taken: (() => void)[] = [];
  for (let before = -1; before < taken.length; ) {
    before = taken.length;
    for (const one of turn) {
      const next = one.left > 0 && taken.length < most ? one.own.shift() : undefined;
      if (!next) continue;
      one.left--;
      taken.push(next);
    }
  }
  return taken;
};

/** Senders who had their turn go to the back. */
const takeTurns = (all: readonly BySender[], most: number, mostOf: (sender: string) => number): (() => void)[] => {
  const turn = all.flatMap((waiting) =>
    Array.from(waiting.entries().take(most), ([sender, own]) => ({ waiting, sender, own, left: mostOf(sender) })),
  );
  const [only, ...others] = turn;
  if (!only) return [];
  const taken = others.length > 0 ? takeFromEach(turn, most) : only.own.splice(0, Math.min(only.left, most));
  for (const { waiting, sender, own } of turn) {
    waiting.delete(sender);
    if (own.length > 0) waiting.set(sender, own);
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
 * sends. Requests with a credential take turns of their own: a customer may share an address with a stranger.
 */
export const createArrivals = (sessionCookie: string) => {
  const webhooks: BySender = new Map();
  const strangers: BySender = new Map();
  const callers: BySender = new Map();
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
