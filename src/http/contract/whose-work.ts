import type { FastifyRequest } from 'fastify';

/** For the operator's own routes: the key of the customer's team in the path. */
export const customerKeyOf = ({ route: { access }, params }: FastifyRequest): string | undefined =>
  typeof access === 'object' && access.door === 'operator' ? (params as { key?: string } | null)?.key : undefined;

/**
 * The name of the queue that a request waits in. Each team has its own, and all strangers share one. The operator's
 * requests have a queue for each customer that they name, and one for all others.
 */
export const whoseWork = (request: FastifyRequest): string => {
  const { caller, route } = request;
  if (caller) return caller.teamId;
  if (typeof route.access !== 'object') return 'strangers';
  const key = customerKeyOf(request);
  return key === undefined ? 'operator' : `operator ${key}`;
};
