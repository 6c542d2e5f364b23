import { alternatePeers } from '../alternate-peers.ts';
import type { Table, Tools } from '../benchmark.ts';
import { ratioOf, summarize } from '../summarize.ts';
import type { Pages } from './page-service.ts';

const MOST_TIMES_AS_LONG = 1.3;

/** A store, and how many calls it has. */
export type Stored = { pages: Pages; calls: number };
export type Compared = { many: Stored; few: Stored };

/** The paths to measure, by name. Some depend on what is stored. */
export type Paths = Readonly<Record<string, string | ((pages: Pages) => string)>>;

export type PagePlan = { warmUps: number; rounds: number; asked: number };

const compareOne = async (
  { signal, note }: Tools,
  { many, few }: Compared,
  [name, path]: [string, Paths[string]],
  { asked, ...plan }: PagePlan,
): Promise<Table['rows'][number]> => {
  const pathIn = ({ pages }: Stored): string => (typeof path === 'string' ? path : path(pages));
  const [here, there] = [await many.pages.countShown(pathIn(many)), await few.pages.countShown(pathIn(few))];
  if (here !== there) note(`${name}: ${here} rows are shown, and ${there} with ${few.calls}`);
  const measure = (stored: Stored) => () => stored.pages.measure(pathIn(stored), asked);
  const rounds = await alternatePeers({ ours: measure(many), peer: measure(few) }, { ...plan, signal });
  return { name, values: [summarize(rounds.ours).median, summarize(rounds.peer).median, ratioOf(rounds)] };
};

/** Measures each path alternately with many calls stored and with few. */
export const comparePages = async (
  tools: Tools,
  compared: Compared,
  { title, paths, plan, hasGoal = true }: { title: string; paths: Paths; plan: PagePlan; hasGoal?: boolean },
): Promise<Table> => {
  const rows: Table['rows'][number][] = [];
  for (const path of Object.entries(paths)) rows.push(await compareOne(tools, compared, path, plan));
  const columns = [
    { name: `${compared.many.calls}, ms` },
    { name: `${compared.few.calls}, ms` },
    { name: 'ratio', ...(hasGoal && { atMost: MOST_TIMES_AS_LONG }) },
  ];
  return { kind: 'table', title, columns, rows };
};
