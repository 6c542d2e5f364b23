import type { IncomingMessage } from 'node:http';

/** How many requests begin in one turn of the event loop. */
const MOST_TOGETHER = 64;
/** How many requests in one turn of the event loop may be webhooks if other requests are waiting. */
const MOST_WEBHOOKS = 48;
/**
 * How many requests one sender may begin in one turn of the event loop while another sender's webhooks arrive. A
 * webhook needs several turns, so turns should be short.
 */
const MOST_BESIDE_WEBHOOKS = 16;
const WEBHOOKS_LAST_MS = 1_000;

/** Waiting requests by sender. The sender whose requests are next is first. */
type BySender = Map<string, (() => void)[]>;

export const isWebhook = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/webhooks/');

/** Whether a request carries a credential, valid or not. */
export const showsCredential = ({ headers }: IncomingMessage, sessionCookie: string): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(sessionCookie) ?? false);

const push = (waiting: BySender, sender: string, begin: () => void): void => {
  const own = waiting.get(sender);
  if (own) own.push(begin);
  else waiting.set(sender, [begin]);
};

type Turn = { waiting: BySender; sender: string; own: (() => void)[]; left: number };

/** Takes one request from each sender, then a second one from each, and so on. */
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

/** Takes requests, and moves their senders to the back of the queue. */
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

/** Remembers the two senders whose webhooks arrived last, to know whether anyone but a given sender sends webhooks. */
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
 * Collects the requests that arrive in one turn of the event loop, and begins them one after the other in the next turn
 * (decision 022). If there are more than a few dozen, webhooks go first and senders take turns, so nobody waits behind
 * all requests of one sender.
 * Requests with a credential are queued separately, because a customer may share an IP address with a stranger.
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
