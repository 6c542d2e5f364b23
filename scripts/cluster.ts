// Runs three processes behind HAProxy on a PostgreSQL primary with a synchronous standby: `npm run cluster`. Kills a
// process, then the primary, while calls, connects and events go on, and accounts for everything. The exit code is 1 if
// anything that was acknowledged is lost, or if service took longer than 15 s to resume. See
// docs/decisions/047-failover.md.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, Secret } from '../src/platform/index.ts';
import { lastFinishedWeek } from '../src/reports/week/week.ts';
import { getFirstTeamId } from '../src/teams/index.ts';
import { accountForCalls } from '../test/harness/account-for-calls.ts';
import { SECRETS } from '../test/harness/app.ts';
import { startEventReceiver } from '../test/harness/event-receiver.ts';
import { allProcessed, createProvider, type Provider } from '../test/harness/kill-again-and-again.ts';
import { startOauthServer } from '../test/harness/oauth-server.ts';
import { allRecords, providerSettings, writeProviderFile } from '../test/harness/provider-file.ts';
import { ADMIN, addPhoneAccount } from '../test/harness/telephony-serve.ts';
import { waitUntil } from '../test/harness/wait-until.ts';
import { accountForEvents } from './cluster/account-for-events.ts';
import { driveFlows, refreshOnce } from './cluster/drive-flows.ts';
import { keepTrying } from './cluster/keep-trying.ts';
import { manageFailover } from './cluster/manage-failover.ts';
import { type Cluster, isHaproxyInstalled, startCluster } from './cluster/start-cluster.ts';
import { watchService } from './cluster/watch-service.ts';

const MOST_AWAY_MS = 15_000;
const WARM_MS = 8_000;
const AWAY_MS = 5_000;
const AFTER_MS = 25_000;
const CALLERS = 3;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const failures: string[] = [];
/** Notes a failure unless the condition holds. */
const demand = (holds: boolean, what: string): void => {
  if (!holds) failures.push(what);
};
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Sends calls with a few callers at a time, which leaves two cores enough time for everything else. */
const call = (provider: Provider, targets: () => readonly { port: number }[], fresh: boolean) =>
  Promise.all(Array.from({ length: CALLERS }, () => provider.send(targets, { fresh })));

/** Requests the report from all processes at the same moment. */
const makeReports = async ({ processes }: Cluster, week: string): Promise<string[]> =>
  Promise.all(
    processes.map(({ url }) =>
      keepTrying(async () => {
        const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
        const answer = await fetch(`${url}/api/cron/weekly-report?week=${week}`, { headers });
        const { reports } = (await answer.json()) as { reports: { state: string }[] };
        return reports[0]?.state ?? 'none';
      }),
    ),
  );

const killProcess = async (cluster: Cluster): Promise<void> => {
  const [victim] = cluster.processes;
  victim?.kill('SIGKILL');
  await victim?.ended();
  say('Killed a process.');
  await sleep(AWAY_MS);
  await cluster.startProcess(0);
  await waitUntil('it is ready again', () => cluster.isUp(cluster.processes[0]?.port ?? 0), 60_000);
  say('It is ready again.');
};

/** Kills the primary, and waits until the standby is promoted. Returns when the primary was killed. */
const killPrimary = async ({ pair }: Cluster): Promise<number> => {
  const manager = manageFailover(pair);
  const pid = pair.primary.pid();
  const killedAt = performance.now();
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  say('Killed the primary.');
  const promotedAt = await manager.promotedAt;
  say(`The standby was promoted ${seconds((promotedAt ?? 0) - killedAt)} later.`);
  return killedAt;
};

const run = async (cluster: Cluster, oauth: Awaited<ReturnType<typeof startOauthServer>>): Promise<void> => {
  const receiver = await startEventReceiver();
  const database = openDatabase(
    { url: new Secret(cluster.url), dataDirectory: '', poolSize: 20, statementTimeoutMs: 30_000 },
    () => undefined,
  );
  try {
    const [first] = cluster.processes;
    if (!first) throw new Error('There is no process.');
    await first.fetch('/api/events/endpoints', {
      method: 'POST',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, types: ['*'] }),
    });
    const refreshed = await refreshOnce(cluster, oauth);
    demand(refreshed.refreshes === 1 && refreshed.tokens === 1, 'one refresh');

    const provider = createProvider(
      await addPhoneAccount(first, { answer: { greeting: 'Welcome.', voicemail: true, record: true } }),
    );
    // The other processes know the account within a second.
    await sleep(2_000);
    let calling = true;
    const sending = call(provider, () => (calling ? [cluster] : []), true);
    const flows = driveFlows(cluster, oauth);
    const watch = watchService(cluster.port);
    await sleep(WARM_MS);
    const processKilledAt = performance.now();
    await killProcess(cluster);
    await sleep(WARM_MS);
    const primaryKilledAt = await killPrimary(cluster);
    await sleep(AFTER_MS);

    const endedAt = performance.now();
    calling = false;
    await sending;
    await call(provider, () => [cluster], false);
    const connected = await flows.stop();
    const { tried, worked } = await watch.stop();
    const states = await makeReports(cluster, lastFinishedWeek(Date.now(), 'UTC'));
    await waitUntil('everything is processed', () => allProcessed(database).then(() => true), 120_000);
    // Deliveries that are still in a journal are moved to the database within seconds.
    await sleep(5_000);
    await allProcessed(database);

    const calls = await accountForCalls(database, provider);
    const teamId = (await getFirstTeamId(database)) ?? '';
    const events = await accountForEvents(database, teamId, receiver);
    const reports = await database.all('select id from reports where team_id = $1', [teamId]);
    const awayMs = watch.longestGapMs(primaryKilledAt, endedAt);
    const awayForProcessMs = watch.longestGapMs(processKilledAt, primaryKilledAt);

    say('');
    say(
      `Deliveries  acknowledged ${calls.acknowledged}, found ${calls.found}, lost ${calls.lost}, duplicated ${calls.duplicated}; not acknowledged at first and sent again: ${provider.refusals.length}`,
    );
    say(`Calls       told ${provider.stories.length}, found ${calls.calls}, wrong ${calls.wrong.length}`);
    say(
      `Connects    started ${connected.started}, finished ${connected.finished}, each on two processes; ${connected.again} had to be started again`,
    );
    say(`Refresh     ${refreshed.handOuts} requests for a token from three processes, ${refreshed.refreshes} refresh`);
    say(
      `Events      recorded ${events.recorded}, received ${events.received}, lost ${events.lost}, sent again ${events.again}`,
    );
    say(`Report      ${states.join(', ')}; found ${reports.length}`);
    say(
      `Writes      ${tried} tried through HAProxy, ${worked} worked; longest gap ${seconds(awayForProcessMs)} after losing a process, ${seconds(awayMs)} after losing the primary`,
    );

    demand(calls.lost === 0, 'no acknowledged delivery is lost');
    demand(calls.duplicated === 0 && calls.calls === provider.stories.length, 'every call is there once');
    demand(calls.wrong.length === 0 && calls.unprocessed === 0, 'every call is right');
    demand(connected.started === connected.finished, 'every connect that started has finished');
    demand(events.lost === 0, 'every event has arrived');
    demand(reports.length === 1 && states.filter((state) => state === 'created').length === 1, 'one report');
    demand(awayMs <= MOST_AWAY_MS, `service resumes within ${seconds(MOST_AWAY_MS)}`);
  } finally {
    await database.close();
    await receiver.close();
  }
};

if (!isHaproxyInstalled()) {
  say('HAProxy is not installed. On Debian: apt-get install haproxy');
  process.exit(2);
}
const oauth = await startOauthServer();
const file = writeProviderFile(allRecords(oauth.issuer));
say('Starting PostgreSQL, its standby, three processes, and HAProxy.');
const cluster = await startCluster(providerSettings(file.path));
const stop = async (): Promise<void> => {
  await cluster.stop();
  await oauth.stop();
  file.remove();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));
try {
  await run(cluster, oauth);
} finally {
  await stop();
}
for (const what of failures) say(`Not so: ${what}.`);
process.exitCode = failures.length > 0 ? 1 : 0;
