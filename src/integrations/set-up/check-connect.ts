import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { checkParams, completeParams } from '../catalogue/provider-params.ts';
import { findScopesFlaw } from '../catalogue/scopes.ts';
import { isConnectionName } from '../connections/connection-name.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectionInvalid, scopesInvalid } from '../errors.ts';

/** Refuses options that no connect can start with, so that a form can show an error before the person leaves it. */
export const checkConnect = (
  { catalogue }: Pick<IntegrationsContext, 'catalogue'>,
  provider: string,
  { connection, params, scopes }: { connection: string; params: Values; scopes: readonly string[] | null },
): void => {
  if (!isConnectionName(connection)) throw connectionInvalid();
  const flaw = scopes && findScopesFlaw(scopes);
  if (flaw) throw scopesInvalid(flaw);
  const entry = findProvider(catalogue, provider);
  // If the provider has keys, params may be missing, because the form for the key asks for them.
  if (isKeyBased(entry)) checkParams(entry.record, params);
  else completeParams(entry.record, params);
};
