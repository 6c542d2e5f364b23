import { providerUnknown } from '../errors.ts';
import type { Catalogue, Provider } from './catalogue.ts';

export const findProvider = (catalogue: Catalogue, id: string): Provider => {
  const provider = catalogue.get(id);
  if (!provider) throw providerUnknown();
  return provider;
};
