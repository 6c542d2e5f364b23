import type { MenuEntry } from '../frame.ts';
import { providerPlace } from '../integrations/entry.ts';
import type { EnteredRequestFilter } from './request-filter.ts';
import type { Providers } from './request-words.ts';

const INTEGRATIONS: MenuEntry = { path: '/integrations', name: 'Integrations' };
const TOKENS: readonly MenuEntry[] = [
  { path: '/settings', name: 'Settings' },
  { path: '/settings/tokens', name: 'Access tokens' },
];

/** The pages above a list of requests: the provider's, or else that of all access tokens. */
export const placesAbove = ({ provider, by }: EnteredRequestFilter, providers: Providers): readonly MenuEntry[] => {
  if (!provider && by) return TOKENS;
  const known = providers.get(provider ?? '');
  return known ? [INTEGRATIONS, providerPlace(known)] : [INTEGRATIONS];
};
