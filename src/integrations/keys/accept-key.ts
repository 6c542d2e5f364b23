import { ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { providerRetired } from '../errors.ts';
import type { AskContext } from '../requests/ask-provider.ts';
import type { Account } from '../requests/grant-requests.ts';
import { fieldsInvalid, keyNotSent, keyRefused, keyUnconfirmed, keyUnverified } from './errors.ts';
import { checkKeyFields } from './key-fields.ts';
import { type Trier, takeTry } from './key-tries.ts';
import { checkAddresses, verifyKey } from './verify-key.ts';

/** What a person entered. */
export type EnteredKey = { fields: Values; params: Values };

/** A key that the provider has accepted. `details` are the params, with the entry's defaults. */
export type AcceptedKey = { fields: Values; details: Values; account: Account };

/** Checks what was entered, without asking anyone. */
export const checkKey = ({ record }: KeyProvider, { fields, params }: EnteredKey): Omit<AcceptedKey, 'account'> => {
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

/** Asks the provider about a key that was checked. Refuses what it doesn't accept, and whoever has tried too many. */
export const acceptKey = async (
  context: AskContext,
  provider: KeyProvider,
  { fields, details }: ReturnType<typeof checkKey>,
  trier: Trier,
): Promise<AcceptedKey> => {
  const giveBack = takeTry(context.clock, trier);
  const verdict = await verifyKey(context, provider, { ...details, ...fields });
  if (verdict.outcome === 'accepted') {
    giveBack();
    return { fields, details, account: verdict.account };
  }
  if (verdict.outcome === 'rejected') throw keyRefused();
  if (verdict.outcome === 'unconfirmed') throw keyUnconfirmed(verdict.status);
  throw verdict.outcome === 'not_asked' ? keyNotSent() : keyUnverified(verdict.retryAfterMs);
};
