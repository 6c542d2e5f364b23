import type { Static } from 'typebox';
import {
  type Clock,
  type Database,
  type ListPage,
  type PageQuery,
  readPage,
  Type,
  toIso,
  toIsoOrNull,
} from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { type Account, isObserved } from '../accounts/account.ts';
import { getAccount, listAccounts, listSecretUses } from '../accounts/account-store.ts';
import { measureHeld } from '../accounts/held-store.ts';
import { countNumbers } from '../accounts/number-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import { listRefusals } from '../accounts/refusal-store.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { webhookUrl } from '../contract/webhook-url.ts';
import { MOST_HELD } from '../deliveries/hold-delivery.ts';
import { accountUnknown, cursorInvalid } from '../errors.ts';

export type AnswerDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  url: string;
  providers: readonly TelephonyProvider[];
};

const Instant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const AccountAnswer = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  accountId: Type.Union([Type.String(), Type.Null()]),
  mode: Type.Enum(['enforce', 'observe']),
  observeUntil: Instant,
  removesArchived: Type.Boolean(),
  secrets: Type.Array(Type.Object({ id: Type.String(), addedAt: Instant, lastUsedAt: Instant }), {
    description: 'Their ids and when each was last used; never the secrets themselves',
  }),
  api: Type.Array(Type.String(), { description: 'The names of the API credentials that are set' }),
  webhooks: Type.Object(
    {
      voiceUrl: Type.String(),
      statusUrl: Type.String(),
      recordingUrl: Type.String(),
      notes: Type.Array(Type.String()),
    },
    { description: 'Paste these at the provider exactly as they are' },
  ),
  numbers: Type.Integer({ description: 'How many numbers it has' }),
  held: Type.Object({ count: Type.Integer(), bytes: Type.Integer(), most: Type.Integer() }),
  refusals: Type.Array(
    Type.Object({
      reason: Type.String(),
      hint: Type.String({ description: 'Which single change would have made it valid' }),
      count: Type.Integer(),
      firstAt: Instant,
      lastAt: Instant,
    }),
  ),
});

export type AccountAnswer = Static<typeof AccountAnswer>;

const RECORDING_NOTE = 'Replies already include the recording URL. Paste it only if something else makes recordings.';

/** An account as an admin sees it. Secrets are write-only. */
export const toAccountAnswer = async (
  { database, clock, url, providers }: AnswerDependencies,
  { id, teamId, provider, accountId, secrets, api, ...account }: Account,
): Promise<AccountAnswer> => {
  const uses = await listSecretUses(database, teamId, id);
  const numbers = await countNumbers(database, { teamId, accountId: id });
  const held = await measureHeld(database, teamId, id);
  const refusals = await listRefusals(database, teamId, id);
  const addresses = { voice: webhookUrl(url, 'voice', id), recording: webhookUrl(url, 'recording', id) };
  const advice = providers.find((candidate) => candidate.id === provider)?.advise(addresses);
  const observed = isObserved(account, clock.now());
  return {
    id,
    provider,
    accountId,
    mode: observed ? 'observe' : 'enforce',
    observeUntil: observed ? toIsoOrNull(account.observeUntil) : null,
    removesArchived: account.removesArchived,
    secrets: secrets.map((secret) => ({
      id: secret.id,
      addedAt: toIso(secret.addedAt),
      lastUsedAt: toIsoOrNull(uses.find(({ secretId }) => secretId === secret.id)?.lastUsedAt ?? null),
    })),
    api: Object.keys(api),
    webhooks: {
      voiceUrl: advice?.voiceUrl ?? addresses.voice,
      statusUrl: advice?.statusUrl ?? addresses.voice,
      recordingUrl: advice?.recordingUrl ?? addresses.recording,
      notes: [...(advice?.notes ?? []), RECORDING_NOTE],
    },
    numbers,
    held: { ...held, most: MOST_HELD.count },
    refusals: refusals.map(({ firstAt, lastAt, ...refusal }) => ({
      ...refusal,
      firstAt: toIso(firstAt),
      lastAt: toIso(lastAt),
    })),
  };
};

export const getAccountAnswer = async (
  dependencies: AnswerDependencies,
  teamId: string,
  id: string,
): Promise<AccountAnswer> => {
  const { database, vault } = dependencies;
  const row = await getAccount(database, teamId, id);
  if (!row) throw accountUnknown();
  return toAccountAnswer(dependencies, await openAccount(vault, row));
};

export const listAccountAnswers = async (
  dependencies: AnswerDependencies,
  teamId: string,
  query: PageQuery,
): Promise<ListPage<AccountAnswer>> => {
  const { database, vault } = dependencies;
  const { rows, nextCursor } = await readPage(query, {
    read: (after, limit) => listAccounts(database, teamId, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
  const answers = rows.map(async (row) => toAccountAnswer(dependencies, await openAccount(vault, row)));
  return { rows: await Promise.all(answers), nextCursor };
};
