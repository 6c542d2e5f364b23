import { setTimeout as sleep } from 'node:timers/promises';
import { CommandRefused, type Outbound, OutboundFailed, type Progress } from '../platform/index.ts';
import { COMMAND_LINE } from '../teams/index.ts';
import type { Account } from './account.ts';
import { listAccounts } from './account-store.ts';
import { listNumbers } from './number-store.ts';
import { openAccount } from './open-account.ts';
import type { TelephonyProvider } from './provider.ts';
import { type AccountDependencies, changeAccount, createAccount } from './put-account.ts';
import { createNumber } from './put-number.ts';
import { createRandom, disturb, makeCall, type SimulatedRequest, type Simulator } from './simulated-call.ts';
import { startSimulatedMedia } from './simulated-media.ts';
import { webhookUrl } from './webhook-url.ts';

export type SimulateDependencies = AccountDependencies & {
  outbound: Outbound;
  /** The public base address, which is what is signed. */
  url: string;
};

export type SimulateWish = { provider: TelephonyProvider; count: number; seed: number };

/** How many recordings of the account the service has fetched. */
type CountArchived = (accountId: string) => Promise<number>;

const OUR_NUMBER = '+15555550100';
const COLLEAGUE = '+15555550101';
const AT_ONCE = 5;
const MOST_BYTES = 100_000;
const PATIENCE_MS = 15_000;
/** The service looks for new accounts about once a second. */
const KNOWN_WITHIN_MS = 3_000;
const RETRY_MS = 200;
const FETCHED_WITHIN_MS = 30_000;

const ANSWER = {
  greeting: 'Thank you for calling.',
  forwardTo: [COLLEAGUE],
  ringSeconds: 20,
  voicemail: true,
} as const;

/** The account that earlier simulations have used is used again, with a new secret. */
const ensureAccount = async (
  dependencies: SimulateDependencies,
  teamId: string,
  { provider, simulator, mediaOrigin }: { provider: TelephonyProvider; simulator: Simulator; mediaOrigin: string },
): Promise<{ account: Account; secret: string }> => {
  const { database, vault } = dependencies;
  const secret = simulator.newSecret();
  const change = { secrets: [secret], api: { ...simulator.api, mediaOrigin } };
  const rows = await listAccounts(database, teamId);
  const accounts = await Promise.all(rows.map((row) => openAccount(vault, row)));
  const known = accounts.find((account) => account.provider === provider.id && 'mediaOrigin' in account.api);
  if (known) return { account: await changeAccount(dependencies, teamId, COMMAND_LINE, known.id, change), secret };
  const account = await createAccount(dependencies, teamId, COMMAND_LINE, {
    provider: provider.id,
    accountId: simulator.newAccountId(),
    mode: 'enforce',
    removesArchived: false,
    ...change,
  });
  return { account, secret };
};

const ensureNumber = async (dependencies: SimulateDependencies, { id, teamId }: Account): Promise<void> => {
  const numbers = await listNumbers(dependencies.database, teamId);
  if (numbers.some(({ accountId }) => accountId === id)) return;
  await createNumber(dependencies, teamId, COMMAND_LINE, {
    number: OUR_NUMBER,
    label: 'Simulated calls',
    account: id,
    answer: { ...ANSWER, forwardTo: [...ANSWER.forwardTo] },
  });
};

const send = async (
  { outbound, url }: SimulateDependencies,
  request: SimulatedRequest,
  { account, secret, simulator }: Player,
): Promise<number> => {
  const address = `${webhookUrl(url, request.route, account.id)}${request.query}`;
  const headers = { ...request.headers, ...simulator.sign(request, address, secret) };
  try {
    const { method, body } = request;
    const sent = { url: address, method, headers, body, timeoutMs: PATIENCE_MS, mostBytes: MOST_BYTES, trusted: true };
    return (await outbound.request(sent)).status;
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    throw new CommandRefused(`Nothing answers at ${url}: start the service first ("npm start"), and leave it running.`);
  }
};

type Player = { account: Account; secret: string; simulator: Simulator };
type Story = readonly SimulatedRequest[];

/** Until the service has seen the account, it refuses. What is sent here comes again, and counts once. */
const waitUntilKnown = async (dependencies: SimulateDependencies, by: Player, [story]: Story[]): Promise<void> => {
  const [request] = story ?? [];
  for (let waited = 0; request; waited += RETRY_MS) {
    if ((await send(dependencies, request, by)) < 300) return;
    if (waited >= KNOWN_WITHIN_MS)
      throw new CommandRefused(
        `The service at ${dependencies.url} does not know the simulated account: does it use the same database and PATCHBAY_URL?`,
      );
    await sleep(RETRY_MS);
  }
};

/** Sends what each call tells, a few calls at a time. Answers how many requests were sent and refused. */
const play = async (
  dependencies: SimulateDependencies,
  by: Player,
  stories: readonly Story[],
  progress: Progress,
): Promise<{ requests: number; refused: number }> => {
  const waiting = [...stories];
  let [requests, refused, done] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    for (let story = waiting.shift(); story; story = waiting.shift()) {
      for (const request of story) {
        const status = await send(dependencies, request, by);
        requests++;
        if (status >= 300) refused++;
      }
      progress(++done, stories.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { requests, refused };
};

const waitUntilFetched = async (countArchived: () => Promise<number>, wanted: number): Promise<number> => {
  for (let waited = 0; ; waited += RETRY_MS) {
    const archived = await countArchived();
    if (archived >= wanted || waited >= FETCHED_WITHIN_MS) return archived;
    await sleep(RETRY_MS);
  }
};

/** Plays signed calls against the running service: taken, missed, given up, with messages; repeated and out of order. */
export const simulateCalls = async (
  dependencies: SimulateDependencies,
  teamId: string,
  wish: SimulateWish,
  { progress, countArchived }: { progress: Progress; countArchived: CountArchived },
) => {
  const { simulator } = wish.provider;
  if (!simulator)
    throw new CommandRefused(
      `Calls of ${wish.provider.name} cannot be simulated; these can: ${dependencies.providers
        .flatMap(({ id, simulator: one }) => (one ? [id] : []))
        .join(', ')}.`,
    );
  const media = await startSimulatedMedia();
  try {
    const by = {
      ...(await ensureAccount(dependencies, teamId, { ...wish, simulator, mediaOrigin: media.origin })),
      simulator,
    };
    await ensureNumber(dependencies, by.account);
    const random = createRandom(wish.seed);
    const now = dependencies.clock.now();
    const calls = Array.from({ length: wish.count }, () => makeCall(random, OUR_NUMBER, now));
    const stories = calls.map((call) => disturb(random, simulator.tell(call, by.account.accountId ?? '')));
    await waitUntilKnown(dependencies, by, stories);
    const before = await countArchived(by.account.id);
    const sent = await play(dependencies, by, stories, progress);
    const expected = calls.filter(({ message }) => message !== null).length;
    const archived = await waitUntilFetched(async () => (await countArchived(by.account.id)) - before, expected);
    return { account: by.account.id, calls: wish.count, ...sent, recordings: { expected, archived } };
  } finally {
    await media.stop();
  }
};
