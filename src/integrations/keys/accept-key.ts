import { ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import type { Account } from '../catalogue/schemas.ts';
import type { IntegrationsContext } from '../context.ts';
import { providerRetired } from '../errors.ts';
import type { AskContext } from '../requests/ask-provider.ts';
import { checkAddresses } from './check-addresses.ts';
import { fieldsInvalid, keyNotSent, keyRefused, keyUnconfirmed, keyUnverified } from './errors.ts';
import { checkKeyFields } from './key-fields.ts';
import { type Trier, takeTry } from './key-tries.ts';
import { type IssuedToken, type TriedKey, tryKey } from './try-key.ts';

/** A key as a person entered it. */
export type EnteredKey = { fields: Values; params: Values };

/** A key whose fields are valid. `details` are the params, with the entry's defaults. */
type CheckedKey = { fields: Values; details: Values };

/** A key that the provider has accepted. `token` is the access token issued for it, if any. */
export type AcceptedKey = CheckedKey & { account: Account; token: IssuedToken | null };

/** Checks an entered key without contacting the provider. */
export const checkKey = ({ record }: KeyProvider, { fields, params }: EnteredKey): CheckedKey => {
  if (record.retired) throw providerRetired(record.retired.reason);
  const checked = { fields: checkKeyFields(record, fields), details: { ...completeParams(record, params) } };
  try {
    checkAddresses(record, { ...checked.details, ...checked.fields });
  } catch (error) {
    if (!(error instanceof ValueMissing)) throw error;
    const { placeholder } = error;
    const group = Object.hasOwn(checked.fields, placeholder) ? 'fields' : 'params';
    throw fieldsInvalid([{ path: `${group}.${placeholder}`, message: "can't be part of an address" }]);
  }
  return checked;
};

/** Throws unless the provider has accepted the key. */
export const expectAccepted = (checked: CheckedKey, tried: TriedKey): AcceptedKey => {
  if (tried.outcome === 'accepted') return { ...checked, account: tried.account, token: tried.token };
  if (tried.outcome === 'rejected') throw keyRefused();
  if (tried.outcome === 'unconfirmed') throw keyUnconfirmed(tried.status);
  throw tried.outcome === 'not_asked' ? keyNotSent() : keyUnverified(tried.retryAfterMs);
};

/**
 * Asks the provider about a checked key. Throws if the provider doesn't accept it, or if the person has tried too many
 * keys.
 */
export const acceptKey = async (
  context: AskContext & Pick<IntegrationsContext, 'pause'>,
  provider: KeyProvider,
  checked: CheckedKey,
  trier: Trier,
): Promise<AcceptedKey> => {
  await context.pause.check();
  const giveBack = takeTry(context.clock, trier);
  const accepted = expectAccepted(checked, await tryKey(context, provider, checked));
  giveBack();
  return accepted;
};
