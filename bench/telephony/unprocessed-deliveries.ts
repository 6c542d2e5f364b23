import type { App } from '../../src/app.ts';
import { sealDelivery } from '../../src/telephony/processing/delivery-payload.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from '../../src/telephony/processing/delivery-store.ts';
import { count } from '../service/place.ts';
import type { ServiceLine } from '../service/set-up-line.ts';
import { describeCall, numberCalls } from './signed-calls.ts';

const AT_ONCE = 1_000;
/** How long ago the newest and the oldest delivery came in. */
const NEWEST_MS = 60_000;
const OLDEST_MS = 3_600_000;

/** The requests about a call, in order. Some calls have only the first one, or the first two. */
const STEPS: readonly { step: string; params: Record<string, string> }[] = [
  { step: '', params: {} },
  { step: 'dialed', params: { CallStatus: 'in-progress', DialCallStatus: 'completed', DialCallDuration: '60' } },
  { step: 'status', params: { CallStatus: 'completed', CallDuration: '75' } },
];

const tellCall = ({ url, accountId }: ServiceLine, callSid: string, steps: number) => {
  const { pathname, search } = new URL(url);
  return STEPS.slice(0, steps).map(({ step, params }) => ({
    route: 'voice' as const,
    method: 'POST' as const,
    target: `${pathname}${search}${step === '' ? '' : `&step=${step}`}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ ...describeCall(accountId, callSid), ...params }).toString()),
  }));
};

const tellCalls = function* (line: ServiceLine) {
  const { next } = numberCalls();
  for (let told = 0; ; told++) yield* tellCall(line, next(), 1 + (told % STEPS.length));
};

/** Makes one to three deliveries per call, sealed like those of the service, oldest first. */
export const sealDeliveries = async function* (
  { vault, telephony }: App,
  line: ServiceLine,
  wanted: number,
): AsyncGenerator<DeliveryRow[]> {
  const { teamId, account, secretId } = line;
  const provider = telephony.providers.find(({ id }) => id === 'twilio');
  if (!provider) throw new Error('There is no provider to make deliveries of.');
  const told = tellCalls(line);
  const oldest = Date.now() - OLDEST_MS;
  for (let made = 0; made < wanted; made += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, wanted - made) }, (_, index) => made + index);
    yield Promise.all(
      numbers.map(async (number) => {
        const delivery = told.next().value;
        if (!delivery) throw new Error('There is no more to tell.');
        const receivedAt = oldest + Math.floor((number / wanted) * (OLDEST_MS - NEWEST_MS));
        return sealDelivery(vault, { provider, delivery }, { teamId, id: account }, { receivedAt, secretId });
      }),
    );
  }
};

/** Stores deliveries as a killed service leaves them behind: acknowledged, but not assembled into calls. */
export const storeUnprocessed = async (app: App, line: ServiceLine, wanted: number): Promise<void> => {
  const store = (rows: DeliveryRow[]) => app.database.insertRows(DELIVERIES, rows.map(deliveryValues));
  for await (const rows of sealDeliveries(app, line, wanted)) {
    // Try twice, because a running service may lock its database for longer than the time limit.
    const outcomes = await store(rows).catch(() => store(rows));
    if (outcomes.some((outcome) => outcome instanceof Error)) throw new Error('A delivery could not be stored.');
  }
};

export const countUnprocessed = (app: App): Promise<number> => count(app, `deliveries where state = 'received'`);

export const isAnyUnprocessed = async ({ database }: App): Promise<boolean> =>
  (await database.get(`select 1 as one from deliveries where state = 'received' limit 1`)) !== undefined;
