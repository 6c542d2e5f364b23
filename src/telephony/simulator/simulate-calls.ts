import { setTimeout as sleep } from 'node:timers/promises';
import { CommandRefused, type Progress } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { createRandom, disturb, endAt, makeCalls, type SimulatedRequest } from '../contract/simulated-call.ts';
import { openSimulatedLine, SIMULATED_NUMBER, type SimulatedLine, type SimulatedProvider } from './simulated-line.ts';

const AT_ONCE = 5;
/** How long to wait for the service, which checks for new accounts about once a second. */
const KNOWN_WITHIN_MS = 3_000;
const RETRY_MS = 200;
/**
 * How far in the future a call ends. Events without a time get their time of arrival, which must not be after the end.
 */
const AHEAD_MS = 2_000;

/** Makes the requests of a call right before they are sent, so that the call has just happened. */
type Story = () => readonly SimulatedRequest[];

/**
 * Waits until the service knows the account, by sending the first request until it's accepted. The request is sent
 * again later with the rest of its call. It names the same call, so there is still only one.
 */
const waitUntilKnown = async ({ send }: SimulatedLine, url: string, [story]: readonly Story[]): Promise<void> => {
  const [request] = story?.() ?? [];
  for (let waited = 0; request; waited += RETRY_MS) {
    if ((await send(request)) < 300) return;
    if (waited >= KNOWN_WITHIN_MS)
      throw new CommandRefused(
        `The service at ${url} doesn't recognize the simulated account. Check that it uses the same database and PATCHBAY_URL.`,
      );
    await sleep(RETRY_MS);
  }
};

/** Sends the requests of each call, a few calls at a time. Returns how many there were, and how many were refused. */
const play = async ({ send }: SimulatedLine, stories: readonly Story[], progress: Progress) => {
  const waiting = [...stories];
  let [requests, refused, done] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    for (let story = waiting.shift(); story; story = waiting.shift()) {
      for (const request of story()) {
        const status = await send(request);
        requests++;
        if (status >= 300) refused++;
      }
      progress(++done, stories.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { requests, refused };
};

type Wish = { provider: SimulatedProvider; count: number; seed: number };

/**
 * Sends signed calls to the running service: answered, missed, abandoned, and voicemail. Some requests are repeated or
 * out of order.
 */
export const simulateCalls = async (
  context: TelephonyContext,
  teamId: string,
  { provider, count, seed }: Wish,
  progress: Progress,
) => {
  const line = await openSimulatedLine(context, teamId, COMMAND_LINE, provider);
  try {
    const random = createRandom(seed);
    const calls = makeCalls(random, SIMULATED_NUMBER, Array(count).fill(0));
    const stories = calls.map((call): Story => {
      const order = disturb(random, [...line.tell(call).keys()]);
      return () => {
        const requests = line.tell(endAt(call, context.clock.now() + AHEAD_MS));
        return order.flatMap((place) => requests[place] ?? []);
      };
    });
    await waitUntilKnown(line, context.url, stories);
    const sent = await play(line, stories, progress);
    const expected = calls.filter(({ message }) => message !== null).length;
    const archived = await line.waitUntilFetched(expected);
    return { account: line.account, calls: count, ...sent, recordings: { expected, archived } };
  } finally {
    await line.close();
  }
};
