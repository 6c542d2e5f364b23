/** How many, and how it was the week before. Null: there was no week before to compare with, or too little in it. */
export type Compared = { value: number; before: number | null };

export type Waiting = {
  /** The call that nobody took. Whose it was stays there: when the call is erased, no report names anybody. */
  callId: string;
  at: string;
  outcome: string;
};

export type NumberFigures = {
  /** By which the number is known again, also after the team has given it up. */
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
  /** How often in a row its token could not be refreshed. */
  refreshFailures: number;
};

/** Everything that a weekly report says, and nothing else. */
export type Figures = {
  calls: { inbound: Compared; outbound: Compared };
  /** Of inbound calls that have ended. `missed` are those that nobody took and that left no message. */
  outcomes: { answered: Compared; missed: Compared; abandoned: Compared; voicemail: Compared; other: Compared };
  /** Of a hundred inbound calls that have ended, how many nobody took. Null: there was none. */
  missedPercent: number | null;
  /** Whole seconds from the first ring to the person. Null: nobody was reached. */
  secondsToAnswer: { median: number; p90: number } | null;
  talkSeconds: Compared;
  /** Calls by weekday (Monday first) and hour where the team is. Null: that hour did not exist. */
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
   * What the figures cannot be sure of: calls of which no end was told, and calls of which something was still told more
   * than an hour after their end.
   */
  quality: { withoutEnd: number; late: number };
};

/** Null: the number was withheld. */
export type NamedWaiting = Waiting & { from: string | null };

/** The figures with those who wait named, as far as their calls are still there: every form of a report is made from this. */
export type NamedFigures = Omit<Figures, 'unreturned'> & { unreturned: { total: number; oldest: NamedWaiting[] } };
