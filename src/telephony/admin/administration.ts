import { withContext } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { getAccount, listAccountNames } from '../accounts/account-store.ts';
import type { AccountChange, AccountWish } from '../accounts/account-wish.ts';
import { changeAccount, createAccount, deleteAccount } from '../accounts/accounts.ts';
import { getCallingCode } from '../accounts/get-calling-code.ts';
import { getNumber, getOldestNumber } from '../accounts/number-store.ts';
import { changeNumber, createNumber, deleteNumber, type NumberChange, type NumberWish } from '../accounts/numbers.ts';
import { listRefusedAccounts } from '../accounts/refusal-store.ts';
import { countsDemoCalls, hasSimulatedCalls } from '../accounts/simulated-account-store.ts';
import { createReleaseHeld, type ReleaseContext } from '../deliveries/release-held.ts';
import { sendSetupTest } from '../deliveries/send-setup-test.ts';
import { eraseNumber } from '../erasure/erase-number.ts';
import { removeSimulated } from '../erasure/remove-simulated.ts';
import { accountIsDemo } from '../errors.ts';
import { getAccountView, listAccountViews, toAccountView } from './account-view.ts';
import { getNumberView, listNumberViews } from './number-view.ts';
import { getStorageView } from './storage-view.ts';

const FEW = 20;

/** Refuses to change what simulations have made. People can only remove it. */
const refuseDemo = async (
  { database }: ReleaseContext,
  teamId: string,
  accountId: string | undefined,
): Promise<void> => {
  if (accountId !== undefined && (await getAccount(database, teamId, accountId))?.simulated === 1)
    throw accountIsDemo();
};

/** Use cases with which admins manage accounts and numbers. Secrets are write-only. */
export const createAdministration = (context: ReleaseContext) => ({
  accounts: {
    ...withContext(context, {
      list: listAccountViews,
      get: getAccountView,
      remove: deleteAccount,
      testSetup: sendSetupTest,
    }),
    releaseHeld: createReleaseHeld(context),
    create: async (teamId: string, actor: AuditActor, wish: AccountWish) =>
      toAccountView(context, await createAccount(context, teamId, actor, wish)),
    change: async (teamId: string, actor: AuditActor, id: string, change: AccountChange) => {
      await refuseDemo(context, teamId, id);
      return toAccountView(context, await changeAccount(context, teamId, actor, id, change));
    },
    /** Whether the team has simulated calls. `countsDemoCalls`: whether these calls count (see `counts`). */
    hasSimulatedCalls: (teamId: string) => hasSimulatedCalls(context.database, teamId),
    countsDemoCalls: (teamId: string) => countsDemoCalls(context, teamId),
    removeSimulated: (teamId: string, actor: AuditActor) => removeSimulated(context, teamId, actor),
    /** Lists the names of all accounts of the team except simulated ones. */
    listNames: (teamId: string) => listAccountNames(context.database, teamId),
    /** Lists a few accounts with refusals since this time. */
    listRefused: (teamId: string, since: number) => listRefusedAccounts(context.database, teamId, since, FEW),
  },
  numbers: {
    ...withContext(context, {
      list: listNumberViews,
      get: getNumberView,
      getCallingCode,
      remove: deleteNumber,
      /** Erases everything about a caller's number. */
      erase: eraseNumber,
    }),
    /** Whether the team has a number that people can call. */
    hasOwn: async (teamId: string) =>
      (await getOldestNumber(context.database, teamId, { isSimulated: false })) !== undefined,
    create: async (teamId: string, actor: AuditActor, wish: NumberWish) => {
      await refuseDemo(context, teamId, wish.account);
      const { id } = await createNumber(context, teamId, actor, wish);
      return getNumberView(context, teamId, id);
    },
    change: async (teamId: string, actor: AuditActor, id: string, change: NumberChange) => {
      // A simulated number can't be changed, and no number can be moved to a simulated account.
      await refuseDemo(context, teamId, (await getNumber(context.database, teamId, id))?.accountId);
      await refuseDemo(context, teamId, change.account);
      await changeNumber(context, teamId, actor, id, change);
      return getNumberView(context, teamId, id);
    },
  },
  /** Returns how much the team stores, and how much it can store. */
  getStorage: (teamId: string) => getStorageView(context, teamId),
});

export type Administration = ReturnType<typeof createAdministration>;
