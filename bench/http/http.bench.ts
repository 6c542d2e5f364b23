import { LIMITS } from '../../src/http/index.ts';
import { alternatePeers, pick, type Rounds } from '../alternate-peers.ts';
import type { Benchmark, Comparison } from '../benchmark.ts';
import { startChildServer } from '../child-server.ts';
import { summarize } from '../summarize.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { countBytes, fetchAnswer } from './answer.ts';
import { type Load, loadServer, warmUp } from './load-server.ts';

const scriptOf = (name: string): URL => new URL(`./${name}.child.ts`, import.meta.url);

const describeBusy = (rounds: Rounds<Load>): string => {
  const { ours, peer } = pick(rounds, ({ busy }) => busy * 100);
  return `the servers worked ${Math.round(summarize(ours).median)} % and ${Math.round(summarize(peer).median)} % of the time`;
};

const compare = (title: string, unit: string, rounds: Rounds<number>): Comparison => ({
  kind: 'comparison',
  title,
  unit,
  ours: 'Patchbay',
  peer: 'bare node:http',
  rounds,
  goal: { atLeast: 0.8 },
});

export const httpRoute: Benchmark = {
  name: 'http',
  about: 'a trivial authenticated route with all hooks, against bare node:http answering the same bytes',
  async run({ cleanUp, signal, note }) {
    const patchbay = await startChildServer(scriptOf('patchbay'), makeDirectory(cleanUp), cleanUp);
    const answer = await fetchAnswer(patchbay, LIMITS.keepAliveMs);
    const bare = await startChildServer(scriptOf('bare'), JSON.stringify(answer), cleanUp);
    const [ours, theirs] = await Promise.all([countBytes(patchbay), countBytes(bare)]);
    if (ours !== theirs) throw new Error(`The answers differ: ${ours} and ${theirs} bytes.`);
    note(`both answer ${ours} bytes`);

    // Both are asked with the same header: reading it is part of a request.
    for (const server of [patchbay, bare]) await warmUp(server, patchbay.headers);
    const rounds = await alternatePeers(
      { ours: () => loadServer(patchbay, patchbay.headers), peer: () => loadServer(bare, patchbay.headers) },
      { warmUps: 0, rounds: 5, signal },
    );
    note(describeBusy(rounds));
    return [
      compare(
        'requests a second',
        'a second',
        pick(rounds, ({ perSecond }) => perSecond),
      ),
      // If the load could not keep a peer busy, the rates would be alike and only this one would tell them apart.
      compare(
        "requests for each second of the server's processor time",
        'a processor second',
        pick(rounds, ({ perProcessorSecond }) => perProcessorSecond),
      ),
    ];
  },
};
