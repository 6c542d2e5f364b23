import { OutboundFailed } from './outbound-failed.ts';

/** The response may take `graceMs`, plus the time its bytes take at this rate. */
export type Pace = { graceMs: number; bytesPerSecond: number };

export type TimeLimit = { timeoutMs: number; pace?: Pace };

/** One signal for the whole request. When it fires, everything that the request opened is closed. */
export type Deadline = {
  /** Its reason is the `OutboundFailed` that the caller gets. */
  readonly signal: AbortSignal;
  /** A part of the response, which earns time if there's a pace. */
  received(bytes: number): void;
  /** The request is over, successful or not. Closes anything that is still open. */
  end(): void;
};

export const startDeadline = (host: string, { timeoutMs, pace }: TimeLimit, caller?: AbortSignal): Deadline => {
  let receivedBytes = 0;
  let waitedMs = 0;
  const controller = new AbortController();
  const callOff = () => controller.abort(new OutboundFailed('aborted', host));
  const allowedMs = (): number =>
    pace ? Math.min(timeoutMs, pace.graceMs + (receivedBytes / pace.bytesPerSecond) * 1_000) : timeoutMs;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = Math.ceil(allowedMs() - waitedMs);
    waitedMs += leftMs;
    if (leftMs > 0) timer = setTimeout(wait, leftMs);
    else controller.abort(new OutboundFailed('timeout', host));
  };
  wait();
  caller?.addEventListener('abort', callOff, { once: true });
  if (caller?.aborted) callOff();
  return {
    signal: controller.signal,
    received(bytes) {
      receivedBytes += bytes;
    },
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', callOff);
      callOff();
    },
  };
};
