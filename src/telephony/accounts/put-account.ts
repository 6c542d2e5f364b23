import { type Clock, type Database, type InputError, type NewId, UniqueViolation } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { accountExists, accountInvalid, accountLimit, accountUnknown } from '../errors.ts';
import { type Account, type Mode, OBSERVE_MS, type TelephonyLimits } from './account.ts';
import {
  type AccountRow,
  countAccounts,
  getAccount,
  getAccountForUpdate,
  insertAccount,
  removeAccount,
  takeChange,
  updateAccount,
} from './account-store.ts';
import { deleteHeldOfAccount } from './held-store.ts';
import { listNumberIdsOfAccount, removeNumber } from './number-store.ts';
import { openAccount, sealApi, sealSecrets } from './open-account.ts';
import type { Switchboard } from './switchboard.ts';

export type AccountDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  providers: readonly TelephonyProvider[];
  switchboard: Pick<Switchboard, 'refresh'>;
  production: boolean;
  limits: TelephonyLimits;
};

export type AccountWish = {
  provider: string;
  accountId: string | null;
  secrets: readonly string[];
  api: Readonly<Record<string, string>>;
  mode: Mode;
  removesArchived: boolean;
};

export type AccountChange = Partial<Omit<AccountWish, 'provider'>> & { addSecret?: string; removeSecret?: string };

/** Each may be tried for every delivery that doesn't verify. */
export const MOST_SECRETS = 10;

/** Outside production, a stand-in for the host that recordings are fetched from. */
const MEDIA_ORIGIN = { pattern: /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/, hint: 'an origin, outside production only' };

export const findTelephonyProvider = (providers: readonly TelephonyProvider[], id: string): TelephonyProvider => {
  const provider = providers.find((candidate) => candidate.id === id);
  if (!provider)
    throw accountInvalid([{ path: 'provider', message: `must be one of ${providers.map(({ id }) => id).join(', ')}` }]);
  return provider;
};

/** Refuses details that aren't valid for this provider. */
export const checkAccount = (
  { production }: Pick<AccountDependencies, 'production'>,
  provider: TelephonyProvider,
  { accountId, secrets, api }: Pick<AccountWish, 'accountId' | 'secrets' | 'api'>,
): void => {
  const { rules } = provider;
  const known = { ...rules.api, ...(production ? {} : { mediaOrigin: MEDIA_ORIGIN }) };
  const errors: InputError[] = [];
  if (accountId !== null && !rules.accountId)
    errors.push({ path: 'accountId', message: 'is not used by this provider' });
  if (accountId !== null && rules.accountId && !rules.accountId.pattern.test(accountId))
    errors.push({ path: 'accountId', message: `must be ${rules.accountId.hint}` });
  if (secrets.length > MOST_SECRETS)
    errors.push({
      path: 'secrets',
      message: `can hold at most ${MOST_SECRETS}; remove one that is no longer used`,
    });
  secrets.forEach((secret, index) => {
    if (!rules.secret.pattern.test(secret))
      errors.push({ path: `secrets.${index}`, message: `must be ${rules.secret.hint}` });
  });
  for (const [name, value] of Object.entries(api)) {
    const rule = Object.hasOwn(known, name) ? known[name as keyof typeof known] : undefined;
    if (!rule)
      errors.push({ path: `api.${name}`, message: `is not one of ${Object.keys(known).join(', ') || 'none'}` });
    else if (!rule.pattern.test(value)) errors.push({ path: `api.${name}`, message: `must be ${rule.hint}` });
  }
  if (errors.length > 0) throw accountInvalid(errors);
};

type Secrets = Account['secrets'];

/** A secret that was there before keeps its id, so its usage history stays correct. */
const toSecrets = (
  { newId, clock }: Pick<AccountDependencies, 'newId' | 'clock'>,
  values: readonly string[],
  before: Secrets,
): Secrets =>
  [...new Set(values)].map(
    (value) => before.find((secret) => secret.value === value) ?? { id: newId(), value, addedAt: clock.now() },
  );

const refuseDouble = (error: unknown): never => {
  throw error instanceof UniqueViolation ? accountExists() : error;
};

export const createAccount = async (
  dependencies: AccountDependencies,
  teamId: string,
  actor: AuditActor,
  wish: AccountWish,
): Promise<Account> => {
  const { database, vault, clock, newId, providers, switchboard } = dependencies;
  const provider = findTelephonyProvider(providers, wish.provider);
  checkAccount(dependencies, provider, wish);
  const now = clock.now();
  const id = newId();
  const row: AccountRow = {
    id,
    teamId,
    provider: provider.id,
    externalId: wish.accountId,
    secrets: await sealSecrets(vault, { teamId, id }, toSecrets(dependencies, wish.secrets, [])),
    api: await sealApi(vault, { teamId, id }, wish.api),
    mode: wish.mode,
    observeUntil: wish.mode === 'observe' ? now + OBSERVE_MS : null,
    removesArchived: wish.removesArchived ? 1 : 0,
    createdAt: now,
    removedAt: null,
  };
  await database
    .transaction(async (tx) => {
      // Taken first: of several at once, each counts those before it.
      const change = await takeChange(tx);
      const { accounts: most } = dependencies.limits;
      if ((await countAccounts(tx, teamId)) >= most) throw accountLimit(most);
      await insertAccount(tx, row, change);
      await recordAudit(dependencies, tx, teamId, actor, {
        action: 'telephony.account.create',
        target: id,
        detail: { provider: provider.id, accountId: wish.accountId, mode: wish.mode },
      });
    })
    .catch(refuseDouble);
  await switchboard.refresh();
  return openAccount(vault, row);
};

const changeSecrets = (dependencies: AccountDependencies, { secrets }: Account, change: AccountChange): Secrets => {
  if (change.removeSecret !== undefined && !secrets.some(({ id }) => id === change.removeSecret))
    throw accountInvalid([{ path: 'removeSecret', message: "isn't the id of one of this account's secrets" }]);
  const values = change.secrets ?? secrets.map(({ value }) => value);
  const added = change.addSecret === undefined ? values : [change.addSecret, ...values];
  return toSecrets(dependencies, added, secrets).filter(({ id }) => id !== change.removeSecret);
};

export const changeAccount = async (
  dependencies: AccountDependencies,
  teamId: string,
  actor: AuditActor,
  id: string,
  change: AccountChange,
): Promise<Account> => {
  const { database, vault, clock, providers, switchboard } = dependencies;
  const found = await getAccount(database, teamId, id);
  if (!found) throw accountUnknown();
  const account = await openAccount(vault, found);
  const secrets = changeSecrets(dependencies, account, change);
  if (secrets.length === 0)
    throw accountInvalid([{ path: 'secrets', message: 'must include at least one, or nothing can be verified' }]);
  const { accountId = account.accountId, api = account.api, removesArchived = account.removesArchived } = change;
  const provider = findTelephonyProvider(providers, account.provider);
  checkAccount(dependencies, provider, { accountId, secrets: secrets.map(({ value }) => value), api });
  const { mode = account.mode } = change;
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
  const overtaken = await database
    .transaction(async (tx) => {
      const latest = await getAccountForUpdate(tx, teamId, id);
      if (!latest) throw accountUnknown();
      // Sealed before the transaction. If someone else changed it meanwhile, that must not be undone.
      if (latest.secrets !== found.secrets || latest.api !== found.api) return true;
      await updateAccount(tx, changed, await takeChange(tx));
      await recordAudit(dependencies, tx, teamId, actor, {
        action: 'telephony.account.change',
        target: id,
        detail: { fields: Object.keys(change), mode },
      });
      return false;
    })
    .catch(refuseDouble);
  if (overtaken) return changeAccount(dependencies, teamId, actor, id, change);
  await switchboard.refresh();
  return openAccount(vault, changed);
};

/** Removes the account, its numbers and its held deliveries; its calls stay. */
export const deleteAccount = async (
  dependencies: AccountDependencies,
  teamId: string,
  actor: AuditActor,
  id: string,
): Promise<void> => {
  const { database, clock, switchboard } = dependencies;
  await database.transaction(async (tx) => {
    const now = clock.now();
    if ((await removeAccount(tx, teamId, id, await takeChange(tx), now)) === 0) throw accountUnknown();
    for (const number of await listNumberIdsOfAccount(tx, teamId, id))
      await removeNumber(tx, teamId, number.id, await takeChange(tx), now);
    await deleteHeldOfAccount(tx, teamId, id);
    await recordAudit(dependencies, tx, teamId, actor, { action: 'telephony.account.delete', target: id });
  });
  await switchboard.refresh();
};
