import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Jobs } from '../jobs/index.ts';
import { type Database, OWN, type Pause, withinOrNull, workFor } from '../platform/index.ts';
import { createRequestTimes } from './request-times.ts';

const PATIENCE_MS = 1_000;

/** Queries the database when the metrics are read. */
const watchDatabase = (registry: Registry, database: Pick<Database, 'get'>): void => {
  new Gauge({
    name: 'patchbay_database_up',
    help: '1 if the database responds to this process within a second, otherwise 0',
    registers: [registry],
    async collect() {
      const found = await withinOrNull(
        PATIENCE_MS,
        workFor(OWN, () => database.get('select 1 as one')),
      );
      this.set(found ? 1 : 0);
    },
  });
};

let ofProcess: Registry | undefined;

/**
 * Lists the metrics about the process, which are made once. Each set measures the event loop and garbage collections until
 * the process ends, and keeps everything in its registry alive.
 */
const listProcessMetrics = (): Metric[] => {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess.getMetricsAsArray() as unknown as Metric[];
};

/** Metrics for Prometheus. Labels are patterns and names, never a URL, an ID or anything about a team. */
export const createMetrics = () => {
  const registry = new Registry();
  for (const metric of listProcessMetrics()) registry.registerMetric(metric);
  const requests = createRequestTimes();
  registry.registerMetric(requests.metric as unknown as Metric);
  const finishedJobs = new Histogram({
    name: 'patchbay_job_seconds',
    help: 'Duration of one attempt at a job, by name and outcome',
    labelNames: ['name', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60],
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'patchbay_deliveries_total',
    help: 'Webhook deliveries from telephony providers, by outcome; "lost" could not be saved anywhere',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'patchbay_webhooks_total',
    help: 'Webhooks of integrations, by provider and outcome; "lost" could not be saved anywhere',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const unknownValues = new Counter({
    name: 'patchbay_unknown_values_total',
    help: 'Values in deliveries that Patchbay does not recognize; they are kept as received',
    labelNames: ['provider'],
    registers: [registry],
  });

  return {
    registry,
    onResponse: requests.add,
    onJobFinished(name: string, outcome: string, ms: number): void {
      finishedJobs.labels(name, outcome).observe(ms / 1_000);
    },
    onDelivery(provider: string, outcome: string): void {
      deliveries.inc({ provider, outcome });
    },
    /** Starts the counter of lost deliveries at zero, so that an alert notices the first lost delivery. */
    expectDeliveries(providers: readonly string[]): void {
      for (const provider of providers) deliveries.inc({ provider, outcome: 'lost' }, 0);
    },
    /** The provider is one of the catalog. */
    onWebhook(provider: string, outcome: string): void {
      webhooks.inc({ provider, outcome });
    },
    onUnknown(provider: string): void {
      unknownValues.inc({ provider });
    },
    /** Counts the teams when the metrics are read. */
    watchFullTeams(count: (stored: 'payloads' | 'recordings') => number): void {
      new Gauge({
        name: 'patchbay_full_teams',
        help: 'Teams that have reached their limit for payloads or recordings, as far as this process knows',
        labelNames: ['stored'],
        registers: [registry],
        collect() {
          for (const stored of ['payloads', 'recordings'] as const) this.labels(stored).set(count(stored));
        },
      });
    },
    watchDatabase: (database: Pick<Database, 'get'>): void => watchDatabase(registry, database),
    watchPause({ read }: Pick<Pause, 'read'>): void {
      new Gauge({
        name: 'patchbay_paused',
        help: '1 while the service is paused and contacts nobody, otherwise 0',
        registers: [registry],
        async collect() {
          const paused = await withinOrNull(
            PATIENCE_MS,
            read().then((found) => ({ found })),
          );
          this.remove();
          if (paused) this.set(paused.found ? 1 : 0);
        },
      });
    },
    /** These metrics have no value before the first backup. */
    watchBackups(getLast: () => Promise<{ endedAt: number; bytes: number } | null>): void {
      const read = () => withinOrNull(PATIENCE_MS, getLast());
      new Gauge({
        name: 'patchbay_backup_last_success_timestamp_seconds',
        help: 'When the newest scheduled backup was completed, in seconds since 1970',
        registers: [registry],
        async collect() {
          const last = await read();
          this.remove();
          if (last) this.set(last.endedAt / 1_000);
        },
      });
      new Gauge({
        name: 'patchbay_backup_last_bytes',
        help: 'The size of the newest scheduled backup that was completed',
        registers: [registry],
        async collect() {
          const last = await read();
          this.remove();
          if (last) this.set(last.bytes);
        },
      });
    },
    /** Counts the jobs when the metrics are read. */
    watchJobs(jobs: Pick<Jobs, 'count'>): void {
      new Gauge({
        name: 'patchbay_jobs',
        help: 'Jobs by state',
        labelNames: ['state'],
        registers: [registry],
        async collect() {
          const counts = await withinOrNull(PATIENCE_MS, jobs.count());
          if (!counts) return this.reset();
          for (const state of ['queued', 'active', 'failed'] as const) this.labels(state).set(counts[state]);
        },
      });
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
