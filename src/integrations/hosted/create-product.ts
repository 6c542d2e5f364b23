import { type ConnectSessions, HOSTED_PAGE } from '../../teams/index.ts';
import type { Product } from '../connect/product.ts';
import type { BrandSettings } from './brand.ts';
import { createPageCookie } from './page-cookie.ts';

export const LOGO = `${HOSTED_PAGE}/brand/logo`;
export const STYLES = `${HOSTED_PAGE}/brand/styles.css`;

export const createProduct = (
  { url }: { url: string },
  sessions: Pick<ConnectSessions, 'findPage'>,
  { name, color, logo }: BrandSettings,
): Product => {
  const cookie = createPageCookie(url);
  return {
    brand: { name: name ?? 'Patchbay', logo: logo && LOGO, styles: color === null ? null : STYLES },
    name: name ?? 'the app that sent you here',
    findPage: async (request) => ((await sessions.findPage(cookie.readFrom(request))) ? HOSTED_PAGE : null),
  };
};
