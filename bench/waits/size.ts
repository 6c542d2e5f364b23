import { pickSize } from '../pick-size.ts';

/** How much is stored, and how much work each task finds. */
export const SIZE = pickSize({
  full: {
    /** Calls of all teams, over two years. */
    calls: 1_000_000,
    /** Calls of the large team in the last two weeks. */
    recent: 300_000,
    /** The newest calls, whose numbers can be decrypted: as many as an exported file has. */
    opened: 100_000,
    /** Calls from the number that is erased. */
    erased: 5_000,
    /** Calls of the team that is deleted. */
    deleted: 100_000,
    ofOthers: 100_000,
    /** Old deliveries that still have their payload. */
    payloads: 300_000,
    auditEvents: 100_000,
    teams: 10_000,
    teamsWithCalls: 1_000,
    connections: 1_000,
    journaled: 20_000,
    unprocessed: 200_000,
    /** How long to measure at least. In less time, there are too few requests for the 99.9th percentile. */
    leastMs: 12_000,
    longestMs: 60_000,
  },
  small: {
    calls: 20_000,
    recent: 6_000,
    opened: 2_000,
    erased: 200,
    deleted: 2_000,
    ofOthers: 2_000,
    payloads: 6_000,
    auditEvents: 2_000,
    teams: 300,
    teamsWithCalls: 50,
    connections: 50,
    journaled: 1_000,
    unprocessed: 4_000,
    leastMs: 2_000,
    longestMs: 20_000,
  },
});

export const CALLS_PER_SECOND = 300;
/** The number to erase, with all calls from it. */
export const ERASED_NUMBER = '+15557770001';
/** How long the large team keeps recordings and payloads. */
export const RECORDING_DAYS = 600;
export const PAYLOAD_DAYS = 30;
