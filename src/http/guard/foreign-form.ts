import type { FastifyRequest } from 'fastify';
import { foreignForm } from '../errors.ts';

/** Refuses a form submitted from another site's page. For forms without a session, which no CSRF token protects. */
export const refuseForeignForm = (url: string, { headers }: FastifyRequest): void => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin') throw foreignForm();
    return;
  }
  const from = headers.origin === undefined ? null : URL.parse(headers.origin);
  if (headers.origin !== undefined && from?.host !== headers.host && from?.origin !== url) throw foreignForm();
};

/** `Sec-Fetch-Site` if one of our pages or a typed URL led here. Undefined over plain http: browsers don't send it. */
const OUR_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/** Whether a page of another site, or of a sibling domain, led the browser here. */
export const isForeignNavigation = ({ headers }: FastifyRequest): boolean =>
  !OUR_SITES.includes(headers['sec-fetch-site']);
