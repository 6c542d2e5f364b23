import { isDeepStrictEqual } from 'node:util';
import { closeSomeCallAlerts } from '../../events/index.ts';
import { type Transaction, UniqueViolation } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { accountExists, accountInvalid, accountLimit, accountUnknown } from '../errors.ts';
import { OBSERVE_MS, type TelephonyAccount } from './account.ts';
import {
  type AccountRow,
  countAccounts,
  getAccount,
  insertAccount,
  removeAccount,
  updateAccount,
} from './account-store.ts';
import { type AccountChange, type AccountWish, checkAccount, findTelephonyProvider } from './account-wish.ts';
import { deleteHeldOfAccount } from './held-store.ts';
import { makeChange } from './make-change.ts';
import { removeNumbersOfAccount } from './number-store.ts';
import { openAccount, sealApi, sealSecrets } from './open-account.ts';
import { deleteOtherSecretUses, deleteSecretUses } from './secret-use-store.ts';
import { listDemoCalls } from './simulated-account-store.ts';

type Secrets = TelephonyAccount['secrets'];

/** Adds ids to secrets. A known secret keeps its id, so that its usage history stays correct. */
const toSecrets = ({ newId, clock }: TelephonyContext, values: readonly string[], before: Secrets): Secrets =>
  [...new Set(values)].map(
    (value) => before.find((secret) => secret.value === value) ?? { id: newId(), value, addedAt: clock.now() },
  );

const refuseDouble = (error: unknown): never => {
  throw error instanceof UniqueViolation ? accountExists() : error;
};

export const createAccount = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  wish: AccountWish & { isSimulated?: boolean },
): Promise<TelephonyAccount> => {
  const { provider, secrets, accountId = null, api = {}, mode = 'enforce' } = wish;
  const { removesArchived = false, isSimulated = false } = wish;
  const { vault, clock, newId, providers, production } = context;
  checkAccount(findTelephonyProvider(providers, provider), { accountId, secrets, api }, production);
  const now = clock.now();
  const id = newId();
  const row: AccountRow = {
    id,
    teamId,
    provider,
    externalId: accountId,
    secrets: await sealSecrets(vault, { teamId, id }, toSecrets(context, secrets, [])),
    api: await sealApi(vault, { teamId, id }, api),
    mode,
    observeUntil: mode === 'observe' ? now + OBSERVE_MS : null,
    removesArchived: removesArchived ? 1 : 0,
    simulated: isSimulated ? 1 : 0,
    createdAt: now,
    removedAt: null,
  };
  const detail = { provider, accountId, mode };
  const action = isSimulated ? null : 'telephony.account.create';
  const what = { teamId, actor, action, target: id, detail };
  await makeChange(context, what, async (tx, change) => {
    const { accounts: most } = context.limits;
    if ((await countAccounts(tx, teamId)) >= most) throw accountLimit(most);
    // Once the team has a real account, demo calls no longer need a call back, so their alerts are closed.
    if (!isSimulated) await closeSomeCallAlerts(tx, teamId, (ids) => listDemoCalls(tx, teamId, ids));
    return insertAccount(tx, row, change);
  }).catch(refuseDouble);
  return openAccount(vault, row);
};

/** Finds an account, or refuses if the team has no such account. */
export const findAccount = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
  id: string,
): Promise<TelephonyAccount> => {
  const row = await getAccount(database, teamId, id);
  if (!row) throw accountUnknown();
  return openAccount(vault, row);
};

const changeSecrets = (context: TelephonyContext, { secrets }: TelephonyAccount, change: AccountChange): Secrets => {
  if (change.removeSecret !== undefined && !secrets.some(({ id }) => id === change.removeSecret))
    throw accountInvalid([{ path: 'removeSecret', message: "isn't the ID of one of this account's secrets" }]);
  const values = change.secrets ?? secrets.map(({ value }) => value);
  const added = change.addSecret === undefined ? values : [change.addSecret, ...values];
  const changed = toSecrets(context, added, secrets).filter(({ id }) => id !== change.removeSecret);
  if (changed.length === 0)
    throw accountInvalid([{ path: 'secrets', message: 'must include at least one, or nothing can be verified' }]);
  return changed;
};

/**
 * Lists the fields that really change, because a form also sends the others. `observe` is always listed, because
 * choosing it again restarts the period of observe mode.
 */
const findChanged = (account: TelephonyAccount, change: AccountChange): string[] =>
  Object.entries(change).flatMap(([field, value]) => {
    const isSame = field in account && isDeepStrictEqual(account[field as keyof TelephonyAccount], value);
    return isSame && value !== 'observe' ? [] : [field];
  });

/** Changes an account. Saving without a change leaves no audit entry. */
export const changeAccount = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  id: string,
  change: AccountChange,
): Promise<TelephonyAccount> => {
  const { database, vault, clock, providers, production } = context;
  const found = await getAccount(database, teamId, id);
  if (!found) throw accountUnknown();
  const account = await openAccount(vault, found);
  const secrets = changeSecrets(context, account, change);
  const { accountId, api, mode, removesArchived } = { ...account, ...change };
  const values = secrets.map(({ value }) => value);
  checkAccount(findTelephonyProvider(providers, account.provider), { accountId, secrets: values, api }, production);
  const observeUntil = change.mode === 'observe' ? clock.now() + OBSERVE_MS : account.observeUntil;
  const changed: AccountRow = {
    ...found,
    externalId: accountId,
    secrets: await sealSecrets(vault, found, secrets),
    api: await sealApi(vault, found, api),
    mode,
    observeUntil: mode === 'observe' ? observeUntil : null,
    removesArchived: removesArchived ? 1 : 0,
  };
  const fields = findChanged(account, change);
  if (fields.length === 0) return account;
  const detail = { fields, ...(fields.includes('mode') && { mode }) };
  // A simulated account is changed only by simulations, on every run, so its changes aren't audited.
  const action = account.isSimulated ? null : 'telephony.account.change';
  const what = { teamId, actor, action, target: id, detail };
  const write = async (tx: Transaction, number: number) => {
    const rows = await updateAccount(tx, found, changed, number);
    if (rows > 0) await deleteOtherSecretUses(tx, found, secrets);
    return rows;
  };
  const written = await makeChange(context, what, write).catch(refuseDouble);
  // If someone else changed the account after it was read here, nothing was written, and this starts over.
  return written === 0 ? changeAccount(context, teamId, actor, id, change) : openAccount(vault, changed);
};

/** Removes the account, its numbers, and its held deliveries. Its calls stay. */
export const deleteAccount = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  id: string,
): Promise<void> => {
  const now = context.clock.now();
  const isDemo = (await getAccount(context.database, teamId, id))?.simulated === 1;
  const what = { teamId, actor, action: isDemo ? 'telephony.demo.end' : 'telephony.account.delete', target: id };
  await makeChange(context, what, async (tx, change) => {
    if ((await removeAccount(tx, teamId, id, change, now)) === 0) throw accountUnknown();
    await removeNumbersOfAccount(tx, teamId, id, now);
    await deleteSecretUses(tx, teamId, id);
    await deleteHeldOfAccount(tx, teamId, id);
    return 1;
  });
};
