import { LIMITS } from '../../src/http/index.ts';
import { alternatePeers, pick, type Rounds } from '../alternate-peers.ts';
import type { Comparison, Tools } from '../benchmark.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { summarize } from '../summarize.ts';
import { countBytes, fetchAnswer } from './answer.ts';
import { type Load, loadServer, warmUp } from './load-server.ts';

const BARE = new URL('./bare.child.ts', import.meta.url);

const describeBusy = (rounds: Rounds<Load>): string => {
  const { ours, peer } = pick(rounds, ({ busy }) => busy * 100);
  return `the servers worked ${Math.round(summarize(ours).median)} % and ${Math.round(summarize(peer).median)} % of the time`;
};

/**
 * Measures both servers alternately, with the same requests. Returns two ratios: by the clock, and by the servers' own
 * processor time.
 */
export const compareServers = async (
  { signal, note }: Tools,
  {
    title,
    peerName,
    ours,
    peer,
    goal,
  }: { title: string; peerName: string; ours: ChildServer; peer: ChildServer; goal: number | null },
): Promise<Comparison[]> => {
  for (const server of [ours, peer]) await warmUp(server, ours);
  const rounds = await alternatePeers(
    { ours: () => loadServer(ours, ours), peer: () => loadServer(peer, ours) },
    { warmUps: 0, rounds: 5, signal },
  );
  note(describeBusy(rounds));
  const compare = (what: string, unit: string, number: (load: Load) => number): Comparison => ({
    kind: 'comparison',
    title: `${title}: ${what}`,
    unit,
    ours: 'Patchbay',
    peer: peerName,
    rounds: pick(rounds, number),
    goal: goal === null ? null : { atLeast: goal },
  });
  return [
    compare('requests a second', 'a second', ({ perSecond }) => perSecond),
    // If the load can't keep the servers busy, their rates are the same, and only this ratio shows the difference.
    compare(
      "requests for each second of the server's processor time",
      'a processor second',
      (load) => load.perProcessorSecond,
    ),
  ];
};

/** Compares a server with the bare minimum that returns the same bytes. */
export const compareWithBare = async (
  tools: Tools,
  { title, ours, goal }: { title: string; ours: ChildServer; goal: number },
): Promise<Comparison[]> => {
  const answer = await fetchAnswer(ours, LIMITS.keepAliveMs);
  const bare = await startChildServer(BARE, JSON.stringify(answer), tools.cleanUp);
  const [bytes, theirs] = await Promise.all([countBytes(ours), countBytes({ ...ours, url: bare.url })]);
  if (bytes !== theirs) throw new Error(`The answers differ: ${bytes} and ${theirs} bytes.`);
  tools.note(`both answer ${bytes} bytes`);
  return compareServers(tools, { title, peerName: 'bare node:http', ours, peer: bare, goal });
};
