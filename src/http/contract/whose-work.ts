import type { FastifyRequest } from 'fastify';

/** Who queues with whom: each team by itself, all strangers together, and the operator's doors apart from both. */
export const whoseWork = ({ caller, route }: FastifyRequest): string =>
  caller?.teamId ?? (typeof route.access === 'object' ? 'operator' : 'strangers');
