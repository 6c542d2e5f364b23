import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { checkParams, completeParams } from '../catalogue/provider-params.ts';
import { findScopesFlaw } from '../catalogue/scopes.ts';
import { isConnectionName } from '../connections/connection-name.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectionInvalid, scopesInvalid } from '../errors.ts';

/** Refuses options that no connect could start with. A form can say so before the person is sent away. */
export const checkConnect = (
  { catalogue }: Pick<IntegrationsContext, 'catalogue'>,
  provider: string,
  { connection, params, scopes }: { connection: string; params: Values; scopes: readonly string[] | null },
): void => {
  if (!isConnectionName(connection)) throw connectionInvalid();
  const flaw = scopes && findScopesFlaw(scopes);
  if (flaw) throw scopesInvalid(flaw);
  const entry = findProvider(catalogue, provider);
  // Params may be missing if the provider has a key: its form asks for them.
  if (isKeyBased(entry)) checkParams(entry.record, params);
  else completeParams(entry.record, params);
};
