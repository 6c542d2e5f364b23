import type { IncomingMessage } from 'node:http';

/** What begins in one turn of the event loop. */
const MOST_TOGETHER = 64;
/** What webhooks may take of it if others are waiting. */
const MOST_WEBHOOKS = 48;
/** What one sender may take of it while webhooks of another arrive: they take several turns, so turns should be short. */
const MOST_BESIDE_WEBHOOKS = 16;
const WEBHOOKS_LAST_MS = 1_000;

type Lane = { sender: string; waiting: (() => void)[] };
type Lanes = Map<string, Lane>;

export const isWebhook = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/webhooks/');

/** Whether a request has something that may be a credential, valid or not. */
export const showsCredential = ({ headers }: IncomingMessage, sessionCookie: string): boolean =>
  headers.authorization !== undefined || (headers.cookie?.includes(sessionCookie) ?? false);

const push = (lanes: Lanes, name: string, sender: string, begin: () => void): void => {
  const lane = lanes.get(name);
  if (lane) lane.waiting.push(begin);
  else lanes.set(name, { sender, waiting: [begin] });
};

/** One from each lane, then a second one from each, and so on. Lanes that had their turn go to the back. */
const takeTurns = (lanes: Lanes, most: number, mostOf: (sender: string) => number): (() => void)[] => {
  const turn = [...lanes.entries().take(most)].map(([name, lane]) => ({ name, lane, left: mostOf(lane.sender) }));
  const taken: (() => void)[] = [];
  for (let before = -1; before < taken.length; ) {
    before = taken.length;
    for (const place of turn) {
      const next = place.left > 0 && taken.length < most ? place.lane.waiting.shift() : undefined;
      if (!next) continue;
      place.left--;
      taken.push(next);
    }
  }
  for (const { name, lane } of turn) {
    lanes.delete(name);
    if (lane.waiting.length > 0) lanes.set(name, lane);
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
  const others: Lanes = new Map();
  const watch = createWebhookWatch();
  let scheduled = false;

  const mostOf = (sender: string): number => (watch.hasOther(sender) ? MOST_BESIDE_WEBHOOKS : MOST_TOGETHER);

  const beginSome = (): void => {
    const first = takeTurns(webhooks, others.size > 0 ? MOST_WEBHOOKS : MOST_TOGETHER, mostOf);
    const together = [...first, ...takeTurns(others, MOST_TOGETHER - first.length, mostOf)];
    scheduled = webhooks.size > 0 || others.size > 0;
    if (scheduled) setImmediate(beginSome);
    for (const begin of together) begin();
  };

  return (request: IncomingMessage, sender: string, begin: () => void): void => {
    if (isWebhook(request)) {
      watch.note(sender);
      push(webhooks, sender, sender, begin);
    } else push(others, showsCredential(request, sessionCookie) ? `${sender} known` : sender, sender, begin);
    if (!scheduled) setImmediate(beginSome);
    scheduled = true;
  };
};
