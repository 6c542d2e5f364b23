import type { Table, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { comparePages } from '../pages/compare-pages.ts';
import { MEASURED_PAGES } from '../pages/measured-pages.ts';
import { API_CALLS } from './api-calls.ts';
import { FEW, MANY, PLAN } from './scale-size.ts';
import { openScaled } from './scale-store.ts';

const run = async (tools: Tools, engine: EngineChoice): Promise<Table[]> => {
  const few = { pages: await openScaled(tools, engine, FEW), calls: FEW };
  const many = { pages: await openScaled(tools, engine, MANY), calls: MANY };
  const compare = (title: string, paths: typeof API_CALLS): Promise<Table> =>
    comparePages(tools, { many, few }, { title: `${title} on ${engine.title}`, paths, plan: PLAN });
  return [await compare('GET /api/calls', API_CALLS), await compare('server time of pages', MEASURED_PAGES)];
};

export const [scaleSqlite, scalePostgresql] = onBothEngines({
  name: 'scale',
  about: 'the same calls on pages and in the API, with 10,000,000 calls of one team stored against 1,000,000',
  longestMs: 1_800_000,
  run,
});
