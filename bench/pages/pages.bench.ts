import type { Table, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { pickSize } from '../pick-size.ts';
import { comparePages } from './compare-pages.ts';
import { MEASURED_PAGES, SEARCHES } from './measured-pages.ts';
import { openPages } from './page-store.ts';

const FEW = 100;
const MANY = pickSize({ full: 100_000, small: 1_000 });
const PLAN = pickSize({ full: { warmUps: 2, rounds: 9, asked: 10 }, small: { warmUps: 1, rounds: 1, asked: 2 } });

const run = async (tools: Tools, engine: EngineChoice): Promise<Table[]> => {
  const begun = performance.now();
  const many = { pages: await openPages(tools, engine, MANY), calls: MANY };
  const few = { pages: await openPages(tools, engine, FEW), calls: FEW };
  tools.note(`made in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return [
    await comparePages(
      tools,
      { many, few },
      {
        title: `server time of pages with ${MANY} calls and with ${FEW}, on ${engine.title}`,
        ...{ paths: MEASURED_PAGES, plan: PLAN },
      },
    ),
    await comparePages(
      tools,
      { many, few },
      {
        title: 'searches that find little, which open one call after the other',
        ...{ paths: SEARCHES, plan: { warmUps: 1, rounds: 3, asked: 1 }, hasGoal: false },
      },
    ),
  ];
};

export const [pagesSqlite, pagesPostgresql] = onBothEngines({
  name: 'pages',
  about: 'server time of every page that shows calls, with 100,000 calls stored against 100',
  longestMs: 1_800_000,
  run,
});
