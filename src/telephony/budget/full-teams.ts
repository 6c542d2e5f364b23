import type { Log } from '../../platform/index.ts';
import type { Stored } from '../context.ts';

/**
 * A full team is no longer considered full once it uses less than this fraction of its limit. The fraction is below 1,
 * so that a team near its limit doesn't switch back and forth.
 */
export const ROOM_AGAIN = 0.9;

const MESSAGES: Readonly<Record<Stored, string>> = {
  payloads: 'a team has reached its limit for payloads: of its deliveries, only the facts are kept',
  recordings: 'a team has reached its limit for recordings: new ones wait until there is room',
};

/** Teams that have reached a storage limit, as far as this process knows. Each is logged once. */
export const createFullTeams = ({ log }: { log: Log }) => {
  const full: Readonly<Record<Stored, Set<string>>> = { payloads: new Set(), recordings: new Set() };
  return {
    has: (stored: Stored, teamId: string): boolean => full[stored].has(teamId),
    add(stored: Stored, teamId: string): void {
      if (full[stored].has(teamId)) return;
      full[stored].add(teamId);
      log.warn({ team: teamId }, MESSAGES[stored]);
    },
    remove(stored: Stored, teamId: string): void {
      full[stored].delete(teamId);
    },
    count: (stored: Stored): number => full[stored].size,
  };
};
