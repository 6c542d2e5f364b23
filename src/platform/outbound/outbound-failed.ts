/**
 * Why there is no response. `aborted` means that the caller canceled. `network` covers everything from an unknown host
 * to a bad certificate.
 */
const REASONS = {
  bad_url: 'the address is not allowed',
  bad_header: 'a header is malformed or not allowed',
  refused_host: 'the host is not allowed for this request',
  refused_address: 'the host does not have a public address',
  redirect_refused: 'the redirect is not allowed',
  paused: 'the service is paused',
  timeout: 'it timed out',
  aborted: 'it was canceled',
  too_large: 'the response is too large',
  network: 'the connection failed',
};

export type OutboundReason = keyof typeof REASONS;

/**
 * A request that got no response. The message names only the host, because path, query, headers and body may be secret.
 * There is no `cause`, because a library's error may contain them.
 */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
  readonly reason: OutboundReason;
  /** False if nothing of the request was sent, so it's safe to try again. */
  sent = true;

  constructor(reason: OutboundReason, host: string, detail?: string) {
    super(`The request to ${host} failed: ${REASONS[reason]}${detail ? ` (${detail})` : ''}.`);
    this.reason = reason;
  }
}

/**
 * Turns errors with a code into `OutboundFailed`: they come from the system, TLS or the HTTP parser. An error without a
 * code is a bug and stays as it is.
 */
export const toOutboundFailed = <Thrown>(error: Thrown, host: string, signal: AbortSignal): Thrown | OutboundFailed => {
  if (error instanceof OutboundFailed) return error;
  if (signal.aborted) return signal.reason;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return new OutboundFailed('network', host, error.code);
  return error;
};
