import type { FastifyRequest } from 'fastify';
import type { Brand } from '../../http/index.ts';
import { Refusal } from '../../platform/index.ts';
import { getUser } from '../../teams/index.ts';
import type { IntegrationsContext } from '../context.ts';

/** The operator's product. Its customers' users see pages with its brand, and never sign in here. */
export type Product = {
  brand: Brand;
  /** The product's name, as used within a sentence. */
  name: string;
  /** Returns the path of the hosted page if this browser has opened it, and otherwise null. */
  findPage(request: FastifyRequest): Promise<string | null>;
};

/** Where a customer's user goes next: to the product, or to the hosted page. `href` is null if neither is known. */
export type WayBack = { product: Product; href: string | null };

type Flow = { teamId: string; userId: string; returnTo: string | null };

/** Reads who started a connect. Null if the state or the ticket isn't valid. */
export const readFlow = (read: () => Flow): Flow | null => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};

/**
 * Finds where a customer's user goes next. Null for people who sign in here. A user who has been removed is treated as
 * a customer's user, and so isn't sent to the sign-in page.
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
