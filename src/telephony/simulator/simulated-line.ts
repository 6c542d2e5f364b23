import { setTimeout as sleep } from 'node:timers/promises';
import { CommandRefused, OutboundFailed } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { changeAccount, createAccount } from '../accounts/accounts.ts';
import { countNumbers } from '../accounts/number-store.ts';
import { createNumber } from '../accounts/numbers.ts';
import { findSimulated } from '../accounts/simulated-account-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { SimulatedCall, SimulatedRequest, Simulator } from '../contract/simulated-call.ts';
import { webhookUrl } from '../contract/webhook-url.ts';
import { countArchived } from '../recordings/recording-store.ts';
import { startSimulatedMedia } from './simulated-media.ts';

export type SimulatedProvider = TelephonyProvider & { simulator: Simulator };

export const canBeSimulated = (provider: TelephonyProvider): provider is SimulatedProvider =>
  provider.simulator !== undefined;

export const SIMULATED_NUMBER = '+15555550100';
const COLLEAGUE = '+15555550101';
const LIMITS = { timeoutMs: 15_000, mostBytes: 100_000, trusted: true };
const LOOK_EVERY_MS = 200;
const FETCHED_WITHIN_MS = 30_000;

/** Updates the account of earlier simulations with a new secret and media host, or creates one. */
const ensureAccount = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  provider: SimulatedProvider,
  change: { secrets: string[]; api: Record<string, string> },
) => {
  const known = await findSimulated(context.database, teamId, provider.id);
  return known
    ? changeAccount(context, teamId, actor, known.id, change)
    : createAccount(context, teamId, actor, {
        provider: provider.id,
        accountId: provider.simulator.newAccountId(),
        isSimulated: true,
        ...change,
      });
};

const ensureNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  { account, provider }: { account: string; provider: SimulatedProvider },
) => {
  if ((await countNumbers(context.database, { teamId, accountId: account })) > 0) return;
  const answer = {
    ...{ greeting: 'Thank you for calling.', forwardTo: [COLLEAGUE], ringSeconds: 20, voicemail: true },
    ...(provider.transcribes ? { transcribe: 'provider' as const } : {}),
  };
  const wish = { number: SIMULATED_NUMBER, label: 'Demo', account, answer };
  await createNumber(context, teamId, actor, wish, { isSimulated: true });
};

/** Opens a simulated phone line: an account with a number, a way to send requests as its provider, and a media host. */
export const openSimulatedLine = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  provider: SimulatedProvider,
) => {
  const { database, outbound, url } = context;
  const { simulator } = provider;
  const secret = simulator.newSecret();
  const media = await startSimulatedMedia();
  const prepare = async () => {
    const api = { ...simulator.api, mediaOrigin: media.origin };
    const account = await ensureAccount(context, teamId, actor, provider, { secrets: [secret], api });
    await ensureNumber(context, teamId, actor, { account: account.id, provider });
    await database.transaction((tx) =>
      recordAudit(context, tx, teamId, actor, { action: 'telephony.demo.play', target: account.id }),
    );
    return { account, before: await countArchived(database, teamId, account.id) };
  };
  const { account, before } = await prepare().catch(async (error) => {
    await media.stop();
    throw error;
  });
  return {
    account: account.id,
    tell(call: SimulatedCall) {
      if (call.message) media.expect(call.message.recordingId, call.message.seconds);
      return simulator.tell(call, account.accountId ?? '');
    },
    /** Sends a request and returns the status. Throws CommandRefused if the service doesn't respond. */
    async send({ route, query, method, headers, body }: SimulatedRequest): Promise<number> {
      const address = `${webhookUrl(url, route, account.id)}${query}`;
      const signed = { ...headers, ...simulator.sign({ body }, address, secret) };
      try {
        return (await outbound.request({ url: address, method, headers: signed, body, ...LIMITS })).status;
      } catch (error) {
        if (!(error instanceof OutboundFailed)) throw error;
        throw new CommandRefused(
          `Nothing is running at ${url}. Start the service first ("npm start") and leave it running.`,
        );
      }
    },
    /** Waits until the service has fetched this many recordings, but not forever. Returns how many it has fetched. */
    async waitUntilFetched(wanted: number, signal?: AbortSignal): Promise<number> {
      for (let waited = 0; ; waited += LOOK_EVERY_MS) {
        const fetched = (await countArchived(database, teamId, account.id)) - before;
        if (fetched >= wanted || waited >= FETCHED_WITHIN_MS) return fetched;
        await sleep(LOOK_EVERY_MS, undefined, signal && { signal });
      }
    },
    close: () => media.stop(),
  };
};

export type SimulatedLine = Awaited<ReturnType<typeof openSimulatedLine>>;
