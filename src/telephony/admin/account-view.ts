import type { Static } from 'typebox';
import { type ListPage, type PageQuery, readPage, Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { isObserved, type TelephonyAccount } from '../accounts/account.ts';
import { listAccounts } from '../accounts/account-store.ts';
import { findAccount } from '../accounts/accounts.ts';
import { MOST_HELD, measureHeld } from '../accounts/held-store.ts';
import { countNumbers } from '../accounts/number-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import { listRefusals, REFUSALS_KEPT_MS } from '../accounts/refusal-store.ts';
import { listSecretUses } from '../accounts/secret-use-store.ts';
import type { TelephonyContext } from '../context.ts';
import { InstantOrNull, TextOrNull } from '../contract/schemas.ts';
import { webhookUrl } from '../contract/webhook-url.ts';
import { callCursorInvalid } from '../errors.ts';

export const AccountView = Type.Object(
  {
    id: Type.String(),
    provider: Type.String(),
    accountId: TextOrNull,
    mode: Type.Enum(['enforce', 'observe']),
    observeUntil: InstantOrNull,
    removesArchived: Type.Boolean(),
    secrets: Type.Array(
      Type.Object(
        { id: Type.String(), addedAt: InstantOrNull, lastUsedAt: InstantOrNull },
        { title: 'TelephonySecret' },
      ),
      {
        description: 'Their IDs and when each was last used; never the secrets themselves',
      },
    ),
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
    simulated: Type.Boolean({
      description:
        "Made by a simulation: its calls aren't real, and it can't be changed or given numbers. Reports leave it out",
    }),
    held: Type.Object({ count: Type.Integer(), bytes: Type.Integer(), most: Type.Integer() }),
    refusals: Type.Array(
      Type.Object(
        {
          reason: Type.String(),
          hint: Type.String({ description: 'Which single change would have made it valid' }),
          count: Type.Integer(),
          firstAt: InstantOrNull,
          lastAt: InstantOrNull,
        },
        { title: 'TelephonyRefusal' },
      ),
    ),
  },
  { title: 'TelephonyAccount' },
);

export type AccountView = Static<typeof AccountView>;

const RECORDING_NOTE = 'Replies already include the recording URL. Paste it only if something else makes recordings.';

/** Makes the view of an account for admins. Secrets are write-only. */
export const toAccountView = async (
  { database, clock, url, providers }: TelephonyContext,
  { id, teamId, provider, accountId, secrets, api, ...account }: TelephonyAccount,
): Promise<AccountView> => {
  const uses = await listSecretUses(database, teamId, id);
  const numbers = await countNumbers(database, { teamId, accountId: id });
  const held = await measureHeld(database, teamId, id);
  const refusals = await listRefusals(database, { teamId, accountId: id, since: clock.now() - REFUSALS_KEPT_MS });
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
    simulated: account.isSimulated,
    held: { ...held, most: MOST_HELD.count },
    refusals: refusals.map(({ firstAt, lastAt, ...refusal }) => ({
      ...refusal,
      firstAt: toIso(firstAt),
      lastAt: toIso(lastAt),
    })),
  };
};

export const getAccountView = async (context: TelephonyContext, teamId: string, id: string): Promise<AccountView> =>
  toAccountView(context, await findAccount(context, teamId, id));

export const listAccountViews = async (
  context: TelephonyContext,
  teamId: string,
  query: PageQuery,
): Promise<ListPage<AccountView>> => {
  const { rows, nextCursor } = await readPage(query, {
    read: (after, limit) => listAccounts(context.database, teamId, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: callCursorInvalid,
  });
  const views = rows.map(async (row) => toAccountView(context, await openAccount(context.vault, row)));
  return { rows: await Promise.all(views), nextCursor };
};
