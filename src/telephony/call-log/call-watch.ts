import { setTimeout as sleep } from 'node:timers/promises';
import { listCalls } from '../calls/call-list-store.ts';
import type { ListedCall } from '../calls/call-store.ts';
import { touchedAtOf } from '../calls/call-summary.ts';
import type { TelephonyContext } from '../context.ts';
import { type ShownCall, toShownCalls } from './shown-call.ts';

type Watcher = {
  /**
   * When the page was made. It already shows earlier changes. Null after the first check, because from then on, every
   * change is reported.
   */
  since: number | null;
  tell(calls: readonly ShownCall[]): void;
};

type Watched = { watchers: Set<Watcher>; seen: ReadonlyMap<string, string>; wake: AbortController };

const LOOK_EVERY_MS = 1_000;
const NEWEST = 50;
/** How much older than `since` a change may be and still be sent, because clocks differ and commits take time. */
const MARGIN_MS = 10_000;

/**
 * Reports calls that begin or change. While anyone watches a team, its newest calls are read once a second, for all its
 * watchers together. That works on both engines, whichever process made the change, and costs nothing if nobody
 * watches.
 */
export const createCallWatch = ({ database, vault, log }: TelephonyContext) => {
  const teams = new Map<string, Watched>();

  const look = async (teamId: string, watched: Watched): Promise<void> => {
    const rows = await listCalls(database, teamId, {}, NEWEST);
    const prints = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    const changed = rows.filter(({ id }) => watched.seen.get(id) !== prints.get(id));
    const wantedBy = ({ since }: Watcher): readonly ListedCall[] =>
      since === null ? changed : rows.filter((row) => touchedAtOf(row) >= since - MARGIN_MS);
    const wanted = [...watched.watchers].map((watcher) => ({ watcher, calls: wantedBy(watcher) }));
    const shown = await toShownCalls({ database, vault }, [...new Set(wanted.flatMap(({ calls }) => calls))]);
    const opened = new Map(shown.map((call) => [call.id, call]));
    watched.seen = prints;
    for (const { watcher, calls } of wanted) {
      watcher.since = null;
      if (calls.length > 0) watcher.tell(calls.flatMap(({ id }) => opened.get(id) ?? []));
    }
  };

  const lookOnAndOn = async (teamId: string, watched: Watched): Promise<void> => {
    while (watched.watchers.size > 0) {
      await look(teamId, watched).catch((err) => log.debug({ err }, "a team's calls could not be checked for changes"));
      watched.wake = new AbortController();
      await sleep(LOOK_EVERY_MS, undefined, { ref: false, signal: watched.wake.signal }).catch(() => undefined);
    }
    teams.delete(teamId);
  };

  /** Looks at a team's calls now, because this process has changed one. */
  const wake = (teamId: string): void => teams.get(teamId)?.wake.abort();

  /** Reports calls changed since `since`, newest first, and then every change. Returns a function that stops it. */
  const watch = (teamId: string, since: number, tell: Watcher['tell']): (() => void) => {
    const watcher: Watcher = { since, tell };
    const known = teams.get(teamId);
    const watched = known ?? { watchers: new Set(), seen: new Map(), wake: new AbortController() };
    watched.watchers.add(watcher);
    if (!known) {
      teams.set(teamId, watched);
      void lookOnAndOn(teamId, watched);
    }
    return () => void watched.watchers.delete(watcher);
  };

  return { watch, wake };
};
