import { CommandRefused, OutboundFailed } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import type { Account } from '../accounts/account.ts';
import { listAccounts } from '../accounts/account-store.ts';
import { changeAccount, createAccount } from '../accounts/accounts.ts';
import { countNumbers } from '../accounts/number-store.ts';
import { createNumber } from '../accounts/numbers.ts';
import { openAccount } from '../accounts/open-account.ts';
import type { TelephonyContext } from '../contract/context.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { SimulatedRequest, Simulator } from '../contract/simulated-call.ts';
import { webhookUrl } from '../contract/webhook-url.ts';

export const SIMULATED_NUMBER = '+15555550100';
const COLLEAGUE = '+15555550101';
const MOST_BYTES = 100_000;
const MOST_ACCOUNTS = 1_000;
const PATIENCE_MS = 15_000;

const ANSWER = {
  greeting: 'Thank you for calling.',
  forwardTo: [COLLEAGUE],
  ringSeconds: 20,
  voicemail: true,
} as const;

type Wish = { provider: TelephonyProvider; simulator: Simulator; mediaOrigin: string };

/** Reuses the account of earlier simulations, with a new secret. */
const ensureAccount = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  { provider, simulator, mediaOrigin }: Wish,
): Promise<{ account: Account; secret: string }> => {
  const { database, vault } = context;
  const secret = simulator.newSecret();
  const change = { secrets: [secret], api: { ...simulator.api, mediaOrigin } };
  const rows = await listAccounts(database, teamId, null, MOST_ACCOUNTS);
  const accounts = await Promise.all(rows.map((row) => openAccount(vault, row)));
  const known = accounts.find((account) => account.provider === provider.id && 'mediaOrigin' in account.api);
  if (known) return { account: await changeAccount(context, teamId, actor, known.id, change), secret };
  const account = await createAccount(context, teamId, actor, {
    provider: provider.id,
    accountId: simulator.newAccountId(),
    ...change,
  });
  return { account, secret };
};

const ensureNumber = async (context: TelephonyContext, actor: AuditActor, { id, teamId }: Account): Promise<void> => {
  if ((await countNumbers(context.database, { teamId, accountId: id })) > 0) return;
  await createNumber(context, teamId, actor, {
    number: SIMULATED_NUMBER,
    label: 'Simulated calls',
    account: id,
    answer: { ...ANSWER, forwardTo: [...ANSWER.forwardTo] },
  });
};

/** A simulated phone line: an account with a number, and a way to send what its provider would. */
export const openSimulatedLine = async (context: TelephonyContext, teamId: string, actor: AuditActor, wish: Wish) => {
  const { outbound, url } = context;
  const { simulator } = wish;
  const { account, secret } = await ensureAccount(context, teamId, actor, wish);
  await ensureNumber(context, actor, account);
  return {
    account,
    /** Returns the status. Throws CommandRefused if the service doesn't respond. */
    async send(request: SimulatedRequest): Promise<number> {
      const address = `${webhookUrl(url, request.route, account.id)}${request.query}`;
      const { method, body } = request;
      const headers = { ...request.headers, ...simulator.sign(request, address, secret) };
      const limits = { timeoutMs: PATIENCE_MS, mostBytes: MOST_BYTES, trusted: true };
      try {
        return (await outbound.request({ url: address, method, headers, body, ...limits })).status;
      } catch (error) {
        if (!(error instanceof OutboundFailed)) throw error;
        throw new CommandRefused(
          `Nothing answers at ${url}. Start the service first ("npm start") and leave it running.`,
        );
      }
    },
  };
};

export type SimulatedLine = Awaited<ReturnType<typeof openSimulatedLine>>;
