import type { Engine } from '../../src/platform/index.ts';
import { type Collector, startCollector } from './otlp-collector.ts';
import { openProxyStage } from './proxy-stage.ts';

/** A stage for the proxy whose spans go to a collector. */
export const openTracesStage = async (engine: Engine, changes: Record<string, unknown> = {}) => {
  const collector: Collector = await startCollector();
  const stage = await openProxyStage(engine, changes, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  return {
    ...stage,
    collector,
    async close(): Promise<void> {
      await stage.close();
      await collector.close();
    },
  };
};
