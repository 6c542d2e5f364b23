/** Why there is no answer. `aborted` is the caller's own doing, `network` everything from a missing name to a bad certificate. */
const REASONS = {
  bad_url: 'the address is not allowed',
  bad_header: 'a header is malformed or not allowed',
  refused_host: 'the host is not allowed for this request',
  refused_address: 'the host does not have a public address',
  redirect_refused: 'the redirect is not allowed',
  timeout: 'it timed out',
  aborted: 'it was canceled',
  too_large: 'the response is too large',
  network: 'the connection failed',
};

export type OutboundReason = keyof typeof REASONS;

/**
 * A request that got no answer. The message names the host at most: path, query, headers and body may be secret, and so
 * may whatever a library wrote into its own error, which is why there is no `cause`.
 */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
  readonly reason: OutboundReason;
  /** False where no byte of the request has left: it can be made again without harm. */
  sent = true;

  constructor(reason: OutboundReason, host: string, detail?: string) {
    super(`The request to ${host} failed: ${REASONS[reason]}${detail ? ` (${detail})` : ''}.`);
    this.reason = reason;
  }
}

/** Errors of the system, TLS and the HTTP parser carry a code. One without is a bug, and stays what it is. */
export const toOutboundFailed = <Thrown>(error: Thrown, host: string, signal: AbortSignal): Thrown | OutboundFailed => {
  if (error instanceof OutboundFailed) return error;
  if (signal.aborted) return signal.reason;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return new OutboundFailed('network', host, error.code);
  return error;
};
