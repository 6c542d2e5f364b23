import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { CallPerson } from '../../telephony/index.ts';

const Count = Type.Integer();
const CountOrNull = Type.Union([Count, Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);

/** This week's count, and the previous week's. `before` is null if the team didn't exist then. */
const Compared = Type.Object({ value: Count, before: CountOrNull });
export type Compared = Static<typeof Compared>;

/** All figures of a weekly report. */
export const ReportFigures = Type.Object(
  {
    calls: Type.Object({ inbound: Compared, outbound: Compared }),
    /** How the inbound calls that ended turned out. `missed`: nobody answered, and the caller left no message. */
    outcomes: Type.Object({
      answered: Compared,
      missed: Compared,
      abandoned: Compared,
      voicemail: Compared,
      other: Compared,
    }),
    /** The percentage of finished inbound calls that nobody answered. Null if no inbound call finished. */
    missedPercent: Type.Union([Type.Number(), Type.Null()]),
    /** Whole seconds from the first ring until a person answered. Null if no call was answered. */
    secondsToAnswer: Type.Union([Type.Object({ median: Count, p90: Count }), Type.Null()]),
    talkSeconds: Compared,
    /** Calls by weekday and hour in the team's time zone. */
    heat: Type.Array(Type.Array(CountOrNull), {
      description: 'Monday first; null for an hour that the clocks skipped',
    }),
    missedByHours: Type.Union([Type.Object({ inside: Count, outside: Count }), Type.Null()]),
    /**
     * Calls that were waiting to be returned when the report was made, oldest first. `total` may be more than are listed.
     */
    unreturned: Type.Object({
      total: Count,
      /** `from` is null if the number is private. */
      oldest: Type.Array(
        Type.Object(
          {
            callId: Type.String(),
            from: Text,
            person: Type.Union([CallPerson, Type.Null()]),
            at: Type.String({ format: 'date-time' }),
            outcome: Type.String(),
          },
          { title: 'ReportedCaller' },
        ),
      ),
    }),
    callers: Type.Object({ firstTime: Count, repeat: Count, total: Count }),
    numbers: Type.Array(
      Type.Object(
        { number: Text, label: Text, calls: Count, answered: Count, missed: Count },
        { title: 'ReportedNumber' },
      ),
    ),
    recordings: Type.Object({ made: Count, archived: Count, failed: Count }),
    integrations: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          connection: Type.String({ description: "The connection's name" }),
          name: Type.String({ description: "The provider's name" }),
          status: Type.String(),
          reconnectBefore: Text,
          problem: Text,
          troubleSince: Text,
          refreshFailures: Type.Integer({ description: 'How many times in a row refreshing its token failed' }),
        },
        { title: 'ReportedIntegration' },
      ),
    ),
    deliveriesRefused: Count,
    /** What may be incomplete in the figures: calls with no end reported, and calls with late updates. */
    quality: Type.Object({
      withoutEnd: Count,
      late: Type.Integer({ description: 'Calls with updates received over an hour after they ended' }),
    }),
  },
  { title: 'ReportFigures' },
);
type ReportFigures = Static<typeof ReportFigures>;
type WaitingCaller = ReportFigures['unreturned']['oldest'][number];

/**
 * Figures with the phone numbers of waiting callers, except for calls that were erased. Every format of a report is
 * made from this type.
 */
export type NamedFigures = Omit<ReportFigures, 'numbers'> & {
  /** `hash` identifies a phone number even after the team has given it up. */
  numbers: (ReportFigures['numbers'][number] & { hash: string | null })[];
};

/**
 * Figures as they are stored, without callers. A caller's number is only stored with the call, so erasing a call also
 * erases the number from every report.
 */
export type Figures = Omit<NamedFigures, 'unreturned'> & {
  unreturned: { total: number; oldest: Omit<WaitingCaller, 'from' | 'person'>[] };
};
