import { pickSize } from '../pick-size.ts';

/** How much is stored, and how much work each task finds. */
export const SIZE = pickSize({
  full: {
    /** Of all teams, over two years. */
    calls: 1_000_000,
    /** Of the large team, in the last two weeks. */
    recent: 300_000,
    /** The newest, whose numbers can be opened: as many as a file of calls holds. */
    opened: 100_000,
    /** From the number that is erased. */
    erased: 5_000,
    /** Of the team that is deleted. */
    deleted: 100_000,
    ofOthers: 100_000,
    /** Old deliveries whose payload is still there. */
    payloads: 300_000,
    auditEvents: 100_000,
    teams: 10_000,
    teamsWithCalls: 1_000,
    connections: 1_000,
    journaled: 20_000,
    unprocessed: 200_000,
    /** Measuring for less time says nothing about one in a thousand. */
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
/** Who is erased. Nobody else calls from there. */
export const ERASED_NUMBER = '+15557770001';
/** The large team doesn't want to keep anything older than this. */
export const RECORDING_DAYS = 600;
export const PAYLOAD_DAYS = 30;
