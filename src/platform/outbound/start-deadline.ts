import { OutboundFailed } from './outbound-failed.ts';

/** The response may take `graceMs`, plus the time its bytes take at this speed. */
type Pace = { graceMs: number; bytesPerSecond: number };

export type TimeLimit = {
  timeoutMs: number;
  pace?: Pace;
  /** How long the other side may be silent while its response is awaited or read. */
  idleMs?: number;
};

/** One signal for the whole request. When it fires, everything that the request opened is closed. */
export type Deadline = {
  /** The signal's reason is the `OutboundFailed` that the caller gets. */
  readonly signal: AbortSignal;
  /** Call this for each part of the response. With a `pace`, it extends the deadline. */
  received(bytes: number): void;
  /** Sets a function that says whether silence is our own fault: the response is complete, or our reader is slow. */
  excuse(isOurFault: () => boolean): void;
  /** Ends the request, successful or not. Closes everything that is still open. */
  end(): void;
};

export const startDeadline = (host: string, { timeoutMs, pace, idleMs }: TimeLimit, caller?: AbortSignal): Deadline => {
  let receivedBytes = 0;
  let waitedMs = 0;
  const controller = new AbortController();
  const callOff = () => controller.abort(new OutboundFailed('aborted', host));
  const giveUp = () => controller.abort(new OutboundFailed('timeout', host));
  const allowedMs = (): number =>
    pace ? Math.min(timeoutMs, pace.graceMs + (receivedBytes / pace.bytesPerSecond) * 1_000) : timeoutMs;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = Math.ceil(allowedMs() - waitedMs);
    waitedMs += leftMs;
    if (leftMs > 0) timer = setTimeout(wait, leftMs);
    else giveUp();
  };
  wait();
  let isOurFault = (): boolean => false;
  const onSilence = (): unknown => (isOurFault() ? silence?.refresh() : giveUp());
  const silence = idleMs === undefined ? undefined : setTimeout(onSilence, idleMs);
  caller?.addEventListener('abort', callOff, { once: true });
  if (caller?.aborted) callOff();
  return {
    signal: controller.signal,
    received(bytes) {
      receivedBytes += bytes;
      silence?.refresh();
    },
    excuse(ask) {
      isOurFault = ask;
    },
    end() {
      clearTimeout(timer);
      if (silence) clearTimeout(silence);
      caller?.removeEventListener('abort', callOff);
      callOff();
    },
  };
};
