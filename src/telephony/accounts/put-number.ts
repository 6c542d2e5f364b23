import { type Clock, type Database, findMisfits, type NewId, UniqueViolation } from '../../platform/index.ts';
import { type AuditActor, checkBusinessHours, recordAudit } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { Answer } from '../contract/answer-settings.ts';
import { toParty } from '../contract/party.ts';
import { accountUnknown, answerInvalid, numberExists, numberInvalid, numberLimit, numberUnknown } from '../errors.ts';
import type { TelephonyLimits } from './account.ts';
import { getAccount, takeChange } from './account-store.ts';
import {
  countNumbers,
  getNumber,
  getNumberForUpdate,
  insertNumber,
  type NumberRow,
  removeNumber,
  updateNumber,
} from './number-store.ts';
import { openAnswer, openNumber, sealAnswer, sealNumber } from './open-account.ts';
import type { Switchboard } from './switchboard.ts';

export type NumberDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  switchboard: Pick<Switchboard, 'refresh'>;
  limits: Pick<TelephonyLimits, 'numbers'>;
};

/** `account` is our id of the account that the number belongs to. */
export type NumberWish = { number: string; label: string | null; account: string; answer: Answer };

const normalize = (number: string): string => {
  const party = toParty(number);
  // Without the plus, the country is anyone's guess.
  if (party.kind !== 'number' || !number.trim().startsWith('+'))
    throw numberInvalid('must be a phone number with a country code, like +15551230001');
  return party.value;
};

/** The API has already checked the shape; the command line hasn't. */
const checkAnswer = (answer: Answer, number: string): void => {
  const [misfit] = findMisfits(Answer, answer);
  if (misfit) throw answerInvalid(misfit.path.slice(1).replaceAll('/', '.'), misfit.message);
  checkBusinessHours(answer.hours?.open);
  for (const { forwardTo = [] } of [answer, answer.hours?.outside ?? {}])
    if (forwardTo.includes(number)) throw answerInvalid('forwardTo', "can't include the number itself");
};

/** Enough to recognize it in the audit log and in logs. */
export const maskNumber = (number: string): string => `…${number.slice(-2)}`;

const refuseDouble = (error: unknown): never => {
  throw error instanceof UniqueViolation ? numberExists() : error;
};

const toRow = async (
  { database, vault }: NumberDependencies,
  base: Pick<NumberRow, 'id' | 'teamId' | 'createdAt'>,
  wish: NumberWish,
): Promise<NumberRow> => {
  const { teamId } = base;
  if (!(await getAccount(database, teamId, wish.account))) throw accountUnknown();
  const number = normalize(wish.number);
  checkAnswer(wish.answer, number);
  return {
    ...base,
    accountId: wish.account,
    numberHash: await vault.hash(teamId, `number ${number}`),
    number: await sealNumber(vault, base, number),
    label: wish.label,
    answer: await sealAnswer(vault, base, wish.answer),
    removedAt: null,
  };
};

export const toNumberWish = async (vault: Vault, row: NumberRow): Promise<NumberWish> => ({
  number: await openNumber(vault, row),
  label: row.label,
  account: row.accountId,
  answer: await openAnswer(vault, row),
});

export const createNumber = async (
  dependencies: NumberDependencies,
  teamId: string,
  actor: AuditActor,
  wish: NumberWish,
): Promise<NumberRow> => {
  const { database, clock, newId, switchboard } = dependencies;
  const row = await toRow(dependencies, { id: newId(), teamId, createdAt: clock.now() }, wish);
  await database
    .transaction(async (tx) => {
      // Taken first: of several at once, each counts those before it.
      const change = await takeChange(tx);
      const { numbers: most } = dependencies.limits;
      if ((await countNumbers(tx, { teamId, accountId: null })) >= most) throw numberLimit(most);
      await insertNumber(tx, row, change);
      await recordAudit(dependencies, tx, teamId, actor, {
        action: 'telephony.number.create',
        target: row.id,
        detail: { number: maskNumber(normalize(wish.number)), account: wish.account },
      });
    })
    .catch(refuseDouble);
  await switchboard.refresh();
  return row;
};

export const changeNumber = async (
  dependencies: NumberDependencies,
  teamId: string,
  actor: AuditActor,
  id: string,
  change: Partial<NumberWish>,
): Promise<NumberRow> => {
  const { database, vault, switchboard } = dependencies;
  const found = await getNumber(database, teamId, id);
  if (!found) throw numberUnknown();
  const row = await toRow(dependencies, found, { ...(await toNumberWish(vault, found)), ...change });
  await database
    .transaction(async (tx) => {
      if (!(await getNumberForUpdate(tx, teamId, id))) throw numberUnknown();
      await updateNumber(tx, row, await takeChange(tx));
      await recordAudit(dependencies, tx, teamId, actor, {
        action: 'telephony.number.change',
        target: id,
        detail: { fields: Object.keys(change) },
      });
    })
    .catch(refuseDouble);
  await switchboard.refresh();
  return row;
};

export const deleteNumber = async (
  dependencies: NumberDependencies,
  teamId: string,
  actor: AuditActor,
  id: string,
): Promise<void> => {
  const { database, clock, switchboard } = dependencies;
  await database.transaction(async (tx) => {
    if ((await removeNumber(tx, teamId, id, await takeChange(tx), clock.now())) === 0) throw numberUnknown();
    await recordAudit(dependencies, tx, teamId, actor, { action: 'telephony.number.delete', target: id });
  });
  await switchboard.refresh();
};
