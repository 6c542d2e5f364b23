import type { FastifyRequest } from 'fastify';

/** The key of the customer's team that one of the operator's own routes is about. */
export const customerKeyOf = ({ route: { access }, params }: FastifyRequest): string | undefined =>
  typeof access === 'object' && access.door === 'operator' ? (params as { key?: string } | null)?.key : undefined;

/**
 * Who queues with whom: each team by itself, all strangers together, and the operator's doors apart from both. What the
 * operator does for one customer doesn't wait for what it does for another.
 */
export const whoseWork = (request: FastifyRequest): string => {
  const { caller, route } = request;
  if (caller) return caller.teamId;
  if (typeof route.access !== 'object') return 'strangers';
  const key = customerKeyOf(request);
  return key === undefined ? 'operator' : `operator ${key}`;
};
