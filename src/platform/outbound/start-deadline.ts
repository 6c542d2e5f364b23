import { OutboundFailed } from './outbound-failed.ts';

/** One signal for the whole request. When it fires, everything that the request opened is closed. */
export type Deadline = {
  /** Its reason is the `OutboundFailed` that the caller gets. */
  readonly signal: AbortSignal;
  /** The request is over, successful or not. Closes anything that is still open. */
  end(): void;
};

export const startDeadline = (host: string, timeoutMs: number, caller?: AbortSignal): Deadline => {
  const controller = new AbortController();
  const callOff = () => controller.abort(new OutboundFailed('aborted', host));
  const timer = setTimeout(() => controller.abort(new OutboundFailed('timeout', host)), timeoutMs);
  caller?.addEventListener('abort', callOff, { once: true });
  if (caller?.aborted) callOff();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', callOff);
      callOff();
    },
  };
};
