import type { FastifyRequest } from 'fastify';
import type { Brand } from '../../http/index.ts';
import { Refusal } from '../../platform/index.ts';
import { getUser } from '../../teams/index.ts';
import type { IntegrationsContext } from '../context.ts';

/** The operator's product. Its customers' users see pages with its brand here, and never sign in. */
export type Product = {
  brand: Brand;
  /** The product's name, as used within a sentence. */
  name: string;
  /** Returns the path of the hosted page, if this browser has it open. */
  findPage(request: FastifyRequest): Promise<string | null>;
};

/** Where a customer's user goes next: back to the product or to the hosted page, or null if neither is known. */
export type WayBack = { product: Product; href: string | null };

type Flow = { teamId: string; userId: string; returnTo: string | null };

/** Reads who started a flow. Null if the browser's state or ticket wasn't made here. */
export const readFlow = (read: () => Flow): Flow | null => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};

/**
 * Finds where a customer's user goes next. Null for people who sign in here. Someone who has been removed isn't sent to
 * the sign-in page either.
 */
export const findWayBack = async (
  { database }: Pick<IntegrationsContext, 'database'>,
  product: Product,
  request: FastifyRequest,
  flow: Flow | null,
): Promise<WayBack | null> => {
  if (flow) {
    const user = await getUser(database, flow.teamId, flow.userId);
    if (user && user.source !== 'operator') return null;
    if (flow.returnTo !== null) return { product, href: flow.returnTo };
  }
  const href = await product.findPage(request);
  return flow || href !== null ? { product, href } : null;
};
