import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { type Bystanders, startBystanders } from '../bystanders/bystanders.ts';
import { openBeside, type Settings } from '../service/place.ts';
import type { ServiceLine } from '../service/set-up-line.ts';
import { type Service, startService } from '../service/start-service.ts';
import type { LargeService } from './make-large-service.ts';
import { CALLS_PER_SECOND } from './size.ts';

const LOOK_EVERY_MS = 200;
const PUT_OFF_MS = 14 * 60_000;

/** A running service, its other clients, and separate access to its database. */
export type Stage = {
  app: App;
  service: Service;
  bystanders: Bystanders;
  settings: Settings;
  line: ServiceLine;
};

/** Postpones the jobs that the service would start by itself while something else is measured. */
const putOff = ({ database }: App): Promise<number> =>
  database.run(`update recurring_jobs set next_at = $1 where name in ('run-reports', 'prune-telephony')`, [
    Date.now() + PUT_OFF_MS,
  ]);

/** Starts the other clients and then the service, so that startup can be measured, too. `cleanUp` ends both. */
export const openStage = async (
  { settings, line }: LargeService,
  cleanUp: AsyncDisposableStack,
  prepare: (app: App) => Promise<void> = async () => undefined,
): Promise<Stage> => {
  const app = openBeside(settings, cleanUp);
  await putOff(app);
  await prepare(app);
  const plan = {
    url: `http://127.0.0.1:${settings.PORT}`,
    line,
    callsPerSecond: CALLS_PER_SECOND,
    directory: settings.PATCHBAY_DATA,
  };
  const bystanders = await startBystanders(plan, cleanUp);
  await bystanders.begin();
  const service = await startService(settings, cleanUp, { measuresDelay: true });
  return { app, service, bystanders, settings, line };
};

/** Polls until `isSo` returns true. */
export const waitUntil = async (isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
  while (!(await isSo())) await sleep(LOOK_EVERY_MS, undefined, { signal });
};
