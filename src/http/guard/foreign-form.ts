import type { FastifyRequest } from 'fastify';
import { foreignForm } from '../errors.ts';

/** Refuses a form on another site's page, where no session with its CSRF token protects what it does. */
export const refuseForeignForm = (url: string, { headers }: FastifyRequest): void => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin') throw foreignForm();
    return;
  }
  const from = headers.origin === undefined ? null : URL.parse(headers.origin);
  if (headers.origin !== undefined && from?.host !== headers.host && from?.origin !== url) throw foreignForm();
};

/** From our own pages, or typed. Over plain http, browsers don't say. */
const OUR_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/** Whether another site's page sent the person here, maybe from a sibling domain. */
export const isForeignNavigation = ({ headers }: FastifyRequest): boolean =>
  !OUR_SITES.includes(headers['sec-fetch-site']);
