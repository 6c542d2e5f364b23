import type { FastifyRequest } from 'fastify';
import { foreignForm } from '../errors.ts';

/** Another site's page must not sign a visitor in as someone else. */
export const refuseForeignForm = ({ headers }: FastifyRequest, url: string): void => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin') throw foreignForm();
    return;
  }
  const from = headers.origin === undefined ? null : URL.parse(headers.origin);
  if (headers.origin !== undefined && from?.host !== headers.host && from?.origin !== url) throw foreignForm();
};
