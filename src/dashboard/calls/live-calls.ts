import { Readable } from 'node:stream';
import type { Caller } from '../../http/index.ts';
import { type Clock, type Html, Refusal } from '../../platform/index.ts';
import { createOpenStreams, hasSession } from '../../teams/index.ts';
import type { ShownCall, Telephony } from '../../telephony/index.ts';
import type { DashboardContext } from '../context.ts';
import type { Region } from '../display/region.ts';

type LiveContext = Pick<DashboardContext, 'database' | 'clock'> & { telephony: Pick<Telephony, 'calls'> };
type Viewer = Pick<Caller, 'teamId' | 'userId' | 'sessionId'>;

const MOST = { perUser: 6, perTeam: 100 };
const HEARTBEAT_MS = 15_000;
const RECONNECT_AFTER_MS = 2_000;
/** If a browser has more than this left to read, its stream is closed, and it has to reconnect. */
const MOST_UNREAD_BYTES = 256 * 1_024;

/** The characters that end a line in the stream. A caller's name may contain some. */
const LINE_END = /\r\n|\r|\n/;

/** Says when to try again: by then, some pages may be hidden, and hidden pages close their streams. */
const tooManyStreams = (): Refusal =>
  new Refusal(429, 'dashboard.too_many_streams', 'The call list is open in too many tabs. Close some of them.', {
    headers: { 'retry-after': '60' },
  });

const printEvent = (id: number, markup: Html): string =>
  `event: call\nid: ${id}\n${markup
    .toString()
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;

type RenderRow = (call: ShownCall, region: Region) => Html;

/** Prints a change as an event. Viewers of a team with the same region get the same text, so it's printed only once. */
const createPrinter = (render: RenderRow, clock: Clock) => {
  const printed = new WeakMap<ShownCall, Map<string, string>>();
  return (call: ShownCall, region: Region): string => {
    const { timeZone, hourCycle, callingCode } = region;
    const key = `${timeZone} ${hourCycle} ${callingCode}`;
    const events = printed.get(call) ?? new Map<string, string>();
    const now = clock.now();
    const event = events.get(key) ?? printEvent(now, render(call, { ...region, now }));
    printed.set(call, events.set(key, event));
    return event;
  };
};

/** Streams of server-sent events. Each stream tells one page about calls that start or change, row by row. */
export const createLiveCalls = ({ database, clock, telephony }: LiveContext, render: RenderRow) => {
  const streams = createOpenStreams(MOST, tooManyStreams);
  const print = createPrinter(render, clock);

  const isSignedIn = (viewer: Viewer): Promise<boolean> =>
    hasSession(database, viewer, viewer.sessionId ?? '', clock.now());

  return {
    /** Opens a stream. It ends when the viewer leaves or is signed out, or when the server stops. */
    open(viewer: Viewer, since: number, region: Region): Readable {
      const stream = streams.add(viewer, () => new Readable({ read: () => undefined }));
      let turn = Promise.resolve();

      const sendNow = async (text: string): Promise<void> => {
        if (stream.destroyed || !streams.has(stream)) return;
        if (!(await isSignedIn(viewer))) return void stream.push(null);
        stream.push(text);
        if (stream.readableLength > MOST_UNREAD_BYTES) stream.destroy();
      };
      /** Sends texts in order. If the session can't be checked, ends the stream, and the browser reconnects later. */
      const send = (text: string): void => {
        turn = turn.then(() => sendNow(text)).catch(() => void stream.destroy());
      };

      stream.push(`retry: ${RECONNECT_AFTER_MS}\n\n`);
      const unwatch = telephony.calls.watch(viewer.teamId, since, (calls) =>
        send(calls.map((call) => print(call, region)).join('')),
      );
      const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS).unref();
      stream.once('close', () => {
        unwatch();
        clearInterval(heartbeat);
      });
      return stream;
    },
    close: streams.endAll,
  };
};
