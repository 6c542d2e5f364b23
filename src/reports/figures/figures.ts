/** This week's count and the previous week's. Null if there is no previous week, or too little in it to compare. */
export type Compared = { value: number; before: number | null };

export type Waiting = {
  /** The unanswered call. The caller stays with the call, so erasing it erases the name from every report. */
  callId: string;
  at: string;
  outcome: string;
};

export type NumberFigures = {
  /** Identifies the number even after the team gave it up. */
  hash: string | null;
  number: string | null;
  label: string | null;
  calls: number;
  answered: number;
  missed: number;
};

export type IntegrationFigures = {
  provider: string;
  name: string;
  status: string;
  reconnectBefore: string | null;
  /** What is wrong with it, and since when. */
  problem: string | null;
  troubleSince: string | null;
  /** How many times in a row refreshing its token failed. */
  refreshFailures: number;
};

/** Everything that a weekly report says, and nothing else. */
export type Figures = {
  calls: { inbound: Compared; outbound: Compared };
  /** Inbound calls that ended. `missed` are those that nobody answered and that left no message. */
  outcomes: { answered: Compared; missed: Compared; abandoned: Compared; voicemail: Compared; other: Compared };
  /** The percentage of finished inbound calls that nobody answered. Null if there were none. */
  missedPercent: number | null;
  /** Whole seconds from the first ring until a person answered. Null if nobody did. */
  secondsToAnswer: { median: number; p90: number } | null;
  talkSeconds: Compared;
  /** Calls by weekday (Monday first) and hour in the team's time zone. Null for an hour that didn't exist. */
  heat: (number | null)[][];
  missedByHours: { inside: number; outside: number } | null;
  /** Still waiting when the report was made, oldest first; `total` may be more than are listed. */
  unreturned: { total: number; oldest: Waiting[] };
  callers: { firstTime: number; repeat: number; total: number };
  numbers: NumberFigures[];
  recordings: { made: number; archived: number; failed: number };
  integrations: IntegrationFigures[];
  deliveriesRefused: number;
  /**
   * What the figures can't be sure of: calls with no end reported, and calls with updates received over an hour after
   * they ended.
   */
  quality: { withoutEnd: number; late: number };
};

/** Null if the number is private. */
export type NamedWaiting = Waiting & { from: string | null };

/** The figures with waiting callers named, if their calls still exist. Every format of a report is made from this. */
export type NamedFigures = Omit<Figures, 'unreturned'> & { unreturned: { total: number; oldest: NamedWaiting[] } };
