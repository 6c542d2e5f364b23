import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { findMisfits, type Transaction, Type, UniqueViolation } from '../../platform/index.ts';
import { type AuditActor, checkBusinessHours } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { Answer } from '../contract/answer-settings.ts';
import { toParty } from '../contract/party.ts';
import { findSpeechFlaw } from '../contract/speech.ts';
import { accountUnknown, answerInvalid, numberExists, numberInvalid, numberLimit, numberUnknown } from '../errors.ts';
import { getAccount } from './account-store.ts';
import { findTelephonyProvider } from './account-wish.ts';
import { makeChange } from './make-change.ts';
import { countNumbers, getNumber, insertNumber, type NumberRow, removeNumber, updateNumber } from './number-store.ts';
import { openAnswer, openNumber, sealAnswer, sealNumber } from './open-number.ts';

export const NUMBER_FIELDS = {
  number: Type.String({ minLength: 2, maxLength: 40, description: 'With a country code, like +15551230001' }),
  label: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  account: Type.String({ maxLength: 60, description: "The telephony account's ID in Patchbay" }),
  answer: Answer,
};

const strict = { additionalProperties: false };
const { label, answer } = NUMBER_FIELDS;

export const NumberWish = Type.Object(
  { ...NUMBER_FIELDS, label: Type.Optional(label), answer: Type.Optional(answer) },
  strict,
);
export type NumberWish = Static<typeof NumberWish>;

export const NumberChange = Type.Partial(Type.Object(NUMBER_FIELDS), strict);
export type NumberChange = Static<typeof NumberChange>;

const normalize = (number: string): string => {
  const party = toParty(number);
  // Without a plus, the country is unknown.
  if (party.kind !== 'number' || !number.trim().startsWith('+'))
    throw numberInvalid('must be a phone number with a country code, like +15551230001');
  return party.value;
};

/** Refuses an invalid answer. The API has already checked its schema, but the command line hasn't. */
const checkAnswer = (answer: Answer, number: string): void => {
  const [misfit] = findMisfits(Answer, answer);
  if (misfit) throw answerInvalid(misfit.path.slice(1).replaceAll('/', '.'), misfit.message);
  checkBusinessHours(answer.hours?.open, 'answer.hours.open');
  for (const { forwardTo = [] } of [answer, answer.hours?.outside ?? {}])
    if (forwardTo.includes(number)) throw answerInvalid('forwardTo', "can't include the number itself");
};

const refuseDouble = (error: unknown): never => {
  throw error instanceof UniqueViolation ? numberExists() : error;
};

/**
 * Refuses a number whose account doesn't exist. Call it in the transaction of `makeChange`, which makes the removal of
 * the account wait until the number is written.
 */
const refuseUnknownAccount = async (tx: Transaction, { teamId, accountId }: NumberRow): Promise<void> => {
  if (!(await getAccount(tx, teamId, accountId))) throw accountUnknown();
};

/** Refuses a voice or language that the account's provider doesn't have. */
const refuseUnspoken = async (
  { database, providers }: TelephonyContext,
  { teamId, accountId }: Pick<NumberRow, 'teamId' | 'accountId'>,
  { speech }: Answer,
): Promise<void> => {
  if (!speech) return;
  const account = await getAccount(database, teamId, accountId);
  if (!account) throw accountUnknown();
  const flaw = findSpeechFlaw(findTelephonyProvider(providers, account.provider), speech);
  if (flaw) throw answerInvalid(`speech.${flaw.field}`, flaw.message);
};

/** Refuses transcripts that nobody could make. */
const refuseUntranscribed = async (
  { database, providers, transcriber }: TelephonyContext,
  { teamId, accountId }: Pick<NumberRow, 'teamId' | 'accountId'>,
  { transcribe }: Answer,
): Promise<void> => {
  if (transcribe === 'own' && !transcriber)
    throw answerInvalid(
      'transcribe',
      'needs a transcription server. Ask your Patchbay administrator to set TRANSCRIBE_URL',
    );
  if (transcribe !== 'provider') return;
  const account = await getAccount(database, teamId, accountId);
  if (!account) throw accountUnknown();
  const { name, transcribes } = findTelephonyProvider(providers, account.provider);
  if (!transcribes)
    throw answerInvalid('transcribe', `can't be "provider", because ${name} makes no transcripts of voicemails`);
};

const toRow = async (
  context: TelephonyContext,
  base: Pick<NumberRow, 'id' | 'teamId' | 'createdAt'>,
  { account, label = null, answer = {}, ...wish }: NumberWish,
  before?: Answer,
): Promise<NumberRow> => {
  const { vault } = context;
  const { teamId } = base;
  const number = normalize(wish.number);
  checkAnswer(answer, number);
  await refuseUnspoken(context, { teamId, accountId: account }, answer);
  // What was set before stays valid, so that a number can be changed after the operator has removed the server.
  if (answer.transcribe !== before?.transcribe)
    await refuseUntranscribed(context, { teamId, accountId: account }, answer);
  return {
    ...base,
    accountId: account,
    numberHash: await vault.hash(teamId, `number ${number}`),
    number: await sealNumber(vault, base, number),
    label,
    answer: await sealAnswer(vault, base, answer),
    removedAt: null,
  };
};

/** Opens the fields of a number that an admin can set. */
export const openNumberFields = async ({ vault }: Pick<TelephonyContext, 'vault'>, row: NumberRow) => ({
  number: await openNumber(vault, row),
  label: row.label,
  account: row.accountId,
  answer: await openAnswer(vault, row),
});

export const createNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  wish: NumberWish,
  { isSimulated = false }: { isSimulated?: boolean } = {},
): Promise<NumberRow> => {
  const row = await toRow(context, { id: context.newId(), teamId, createdAt: context.clock.now() }, wish);
  // The last two digits are enough to recognize the number in the audit log.
  const detail = { number: `…${normalize(wish.number).slice(-2)}`, account: wish.account };
  const what = { teamId, actor, action: isSimulated ? null : 'telephony.number.create', target: row.id, detail };
  await makeChange(context, what, async (tx, change) => {
    await refuseUnknownAccount(tx, row);
    const { numbers: most } = context.limits;
    if ((await countNumbers(tx, { teamId, accountId: null })) >= most) throw numberLimit(most);
    return insertNumber(tx, row, change);
  }).catch(refuseDouble);
  return row;
};

/** Lists the fields that really change, because a form also sends the others. */
const findChanged = (before: Required<NumberWish>, change: NumberChange): string[] => {
  const wish = { ...change, ...(change.number !== undefined && { number: normalize(change.number) }) };
  // Removes undefined fields, because they aren't stored either.
  const after: object = JSON.parse(JSON.stringify(wish));
  return Object.entries(after).flatMap(([field, value]) =>
    isDeepStrictEqual(before[field as keyof NumberWish], value) ? [] : [field],
  );
};

/** Changes a number. Saving without a change leaves no audit entry. */
export const changeNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  id: string,
  change: NumberChange,
): Promise<NumberRow> => {
  const found = await getNumber(context.database, teamId, id);
  if (!found) throw numberUnknown();
  const before = await openNumberFields(context, found);
  const row = await toRow(context, found, { ...before, ...change }, change.account ? undefined : before.answer);
  const fields = findChanged(before, change);
  if (fields.length === 0) return found;
  const { transcribe = 'off' } = change.answer ?? before.answer;
  const hasTurned = transcribe !== (before.answer.transcribe ?? 'off');
  // Where the audio goes from now on is worth more than that some setting has changed.
  const detail = { fields, ...(hasTurned && { transcribe }) };
  const what = { teamId, actor, action: 'telephony.number.change', target: id, detail };
  const written = await makeChange(context, what, async (tx, number) => {
    if (change.account !== undefined) await refuseUnknownAccount(tx, row);
    return updateNumber(tx, found, row, number);
  }).catch(refuseDouble);
  // If someone else changed or removed the number after it was read here, nothing was written, and this starts over.
  return written === 0 ? changeNumber(context, teamId, actor, id, change) : row;
};

export const deleteNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  id: string,
): Promise<void> => {
  const what = { teamId, actor, action: 'telephony.number.delete', target: id };
  const now = context.clock.now();
  if ((await makeChange(context, what, (tx, change) => removeNumber(tx, teamId, id, change, now))) === 0)
    throw numberUnknown();
};
