import { describeFailure, type ProviderFailure } from '../catalogue/provider-failure.ts';
import type { Connection } from '../connections/connection.ts';
import { describeLasting, type LastingRefusal } from '../connections/repeated-refusal.ts';

const TROUBLE = {
  invalid_grant: 'revoked_or_expired',
  invalid_client: 'client_refused',
  client_missing: 'client_missing',
  client_replaced: 'client_replaced',
  key_refused: 'key_refused',
  refused: 'provider_refused',
  rate_limited: 'rate_limited',
  unavailable: 'provider_unavailable',
  unclear: 'provider_unclear',
  not_asked: 'address_refused',
} as const satisfies Record<ProviderFailure['kind'], string>;

const lastingReason = ({ kind }: ProviderFailure, { client }: LastingRefusal): string => {
  if (kind === 'client_replaced') return kind;
  return client === null || client === 'works' ? 'refused_for_days' : 'client_refused_for_days';
};

const PAST_ITS_END =
  'Access was granted for a limited time that has ended, and the provider refuses to renew it. Connect again.';

type Standing = Pick<Connection, 'status' | 'reason' | 'lastError'>;

/**
 * The state of a connection after a failed refresh. `lasting` is set if refreshes have been refused for days. `final`
 * is true only if the provider says that the grant has ended. `needs_reconnect` stays until a refresh succeeds: an
 * outage after days of refusals doesn't mean that the grant works again.
 */
export const judgeFailure = (
  connection: Standing & Pick<Connection, 'clientOf' | 'reconnectBefore'>,
  failure: ProviderFailure,
  lasting: LastingRefusal | null,
  now: number,
): Standing & { final: boolean } => {
  const { status, reason, lastError, clientOf, reconnectBefore } = connection;
  const told = { reason: TROUBLE[failure.kind], lastError: describeFailure(failure) };
  if (failure.kind === 'invalid_grant') return { status: 'needs_reconnect', ...told, final: true };
  // A refused key needs a reconnect at once. The state isn't final, because the provider may have been mistaken.
  if (failure.kind === 'key_refused') return { status: 'needs_reconnect', ...told, final: false };
  // If the grant's known end has passed, one refusal is enough. Otherwise, refusals have to last for days.
  if (failure.kind === 'refused' && reconnectBefore !== null && reconnectBefore <= now)
    return { status: 'needs_reconnect', reason: 'expired', lastError: PAST_ITS_END, final: false };
  if (lasting) {
    const described = describeLasting(failure, lasting, clientOf);
    return { status: 'needs_reconnect', reason: lastingReason(failure, lasting), lastError: described, final: false };
  }
  if (status === 'needs_reconnect') return { status, reason, lastError, final: false };
  return { status: 'degraded', ...told, final: false };
};
