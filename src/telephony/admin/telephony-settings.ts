import type { PageQuery } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { listAccountNames } from '../accounts/account-store.ts';
import {
  type AccountChange,
  type AccountDependencies,
  type AccountWish,
  changeAccount,
  createAccount,
  deleteAccount,
} from '../accounts/put-account.ts';
import { changeNumber, createNumber, deleteNumber, type NumberWish } from '../accounts/put-number.ts';
import { listRefusedAccounts } from '../accounts/refusal-store.ts';
import { type ReleaseDependencies, releaseHeld } from '../deliveries/release-held.ts';
import { type TestDependencies, testSetup } from '../deliveries/test-setup.ts';
import { type EraseDependencies, eraseNumber } from '../erasure/erase-number.ts';
import { type AnswerDependencies, getAccountAnswer, listAccountAnswers } from './account-answer.ts';
import { getNumberAnswer, listNumberAnswers } from './number-answer.ts';

const FEW = 20;

type Dependencies = AnswerDependencies &
  AccountDependencies &
  ReleaseDependencies &
  EraseDependencies &
  TestDependencies;

/** Accounts and numbers as an admin manages them. Secrets are write-only here too. */
export const createTelephonySettings = (dependencies: Dependencies) => ({
  /** The providers and the fields of their accounts. */
  providers: dependencies.providers.map(({ id, name, rules }) => ({ id, name, rules })),
  listAccounts: (teamId: string, query: PageQuery) => listAccountAnswers(dependencies, teamId, query),
  /** Every account, names only. */
  listAccountNames: (teamId: string) => listAccountNames(dependencies.database, teamId),
  /** A few accounts with refusals since then. */
  listRefusedAccounts: (teamId: string, since: number) =>
    listRefusedAccounts(dependencies.database, teamId, since, FEW),
  getAccount: (teamId: string, id: string) => getAccountAnswer(dependencies, teamId, id),
  addAccount: async (teamId: string, actor: AuditActor, wish: AccountWish): Promise<string> =>
    (await createAccount(dependencies, teamId, actor, wish)).id,
  changeAccount: async (teamId: string, actor: AuditActor, id: string, change: AccountChange): Promise<void> => {
    await changeAccount(dependencies, teamId, actor, id, change);
  },
  removeAccount: (teamId: string, actor: AuditActor, id: string) => deleteAccount(dependencies, teamId, actor, id),
  releaseHeld: (teamId: string, actor: AuditActor, id: string) => releaseHeld(dependencies, teamId, actor, id),
  testSetup: (teamId: string, id: string) => testSetup(dependencies, teamId, id),
  /** The team's, or one account's. */
  listNumbers: (teamId: string, accountId: string | null, query: PageQuery) =>
    listNumberAnswers(dependencies, { teamId, accountId }, query),
  getNumber: (teamId: string, id: string) => getNumberAnswer(dependencies, teamId, id),
  addNumber: async (teamId: string, actor: AuditActor, wish: NumberWish): Promise<string> =>
    (await createNumber(dependencies, teamId, actor, wish)).id,
  changeNumber: async (teamId: string, actor: AuditActor, id: string, change: Partial<NumberWish>): Promise<void> => {
    await changeNumber(dependencies, teamId, actor, id, change);
  },
  removeNumber: (teamId: string, actor: AuditActor, id: string) => deleteNumber(dependencies, teamId, actor, id),
  eraseNumber: (teamId: string, actor: AuditActor, number: string) => eraseNumber(dependencies, teamId, actor, number),
});

export type TelephonySettings = ReturnType<typeof createTelephonySettings>;
export type ProviderInfo = TelephonySettings['providers'][number];
