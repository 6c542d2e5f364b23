/** A made-up call, independent of the provider. */
export type SimulatedCall = {
  /** 32 hex digits, from which a provider makes its own ids. */
  id: string;
  from: string;
  to: string;
  startedAt: number;
  endedAt: number;
  forward: { result: 'reached' | 'no_answer' | 'busy' | 'given_up'; talkSeconds: number };
  /** The message that was left, if any, its length, and what a machine heard in it. */
  message: { recordingId: string; seconds: number; words: string } | null;
};

export type SimulatedRequest = {
  method: 'GET' | 'POST';
  route: 'voice' | 'recording';
  /** What follows `?account=…` in our URL: the step. */
  query: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** How a provider's webhooks are simulated, to try the service without a phone. */
export type Simulator = {
  newAccountId(): string;
  newSecret(): string;
  /** API credentials that a simulated account needs for its recordings. */
  api: Readonly<Record<string, string>>;
  /** Makes the requests of a call, in order. */
  tell(call: SimulatedCall, accountId: string): readonly SimulatedRequest[];
  /** Makes the headers that sign a request. */
  sign(request: Pick<SimulatedRequest, 'body'>, address: string, secret: string): Readonly<Record<string, string>>;
};

type Random = () => number;

const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** Kinds of ten calls: five are answered, two leave a message, two are missed, and one is abandoned. */
const TAKEN = ['taken', 'taken', 'taken', 'taken', 'taken'] as const;
const KINDS = [...TAKEN, 'message', 'message', 'missed', 'busy', 'given_up'] as const;

type Kind = (typeof KINDS)[number];

const RESULTS: Readonly<Record<Kind, SimulatedCall['forward']['result']>> = {
  taken: 'reached',
  message: 'no_answer',
  missed: 'no_answer',
  busy: 'busy',
  given_up: 'given_up',
};

const hexOf = (random: Random): string =>
  Array.from({ length: 32 }, () => between(random, 0, 15).toString(16)).join('');

/** Makes a number from the range reserved for fiction, so that nobody has it. */
const fictional = (random: Random): string => `+1555555${String(between(random, 100, 199)).padStart(4, '0')}`;

/** Makes the number of a contact that the sandbox of the integrations has, so that its CRM knows who calls. */
const ofContact = (random: Random): string => `+1555555${String(between(random, 102, 126)).padStart(4, '0')}`;

type Times = Pick<SimulatedCall, 'startedAt' | 'endedAt'> & { talkSeconds: number; messageSeconds: number };

/** What callers of simulations say. */
const MESSAGES = [
  "Hi, it's Dana. The delivery came, but one box is missing. Could you call me back this afternoon?",
  'Hello, I would like to move my appointment from Tuesday to Thursday. Please let me know if that works. Thank you.',
  "This is Sam from the workshop. Your bike is ready. We're open until six.",
  'Good morning. I have a question about my last invoice. It would be great if somebody could call me back.',
  "Hi, I'm calling about the apartment. Is it still available? I could come by tomorrow.",
];

const leaveMessage = (recordingId: string, seconds: number): NonNullable<SimulatedCall['message']> => ({
  recordingId,
  seconds,
  words: MESSAGES[Number.parseInt(recordingId.slice(0, 6), 16) % MESSAGES.length] ?? '',
});

const makeCall = (random: Random, to: string, kind: Kind, times: Times): SimulatedCall => {
  const { startedAt, endedAt, talkSeconds, messageSeconds } = times;
  return {
    id: hexOf(random),
    from: fictional(random),
    to,
    startedAt,
    endedAt,
    forward: { result: RESULTS[kind], talkSeconds: kind === 'taken' ? talkSeconds : 0 },
    message: kind === 'message' ? leaveMessage(hexOf(random), messageSeconds) : null,
  };
};

const makePastCall = (random: Random, to: string, endedAt: number, kind: Kind): SimulatedCall => {
  const ringSeconds = between(random, 3, 20);
  const talkSeconds = kind === 'taken' ? between(random, 5, 600) : 0;
  const messageSeconds = kind === 'message' ? between(random, 4, 40) : 0;
  const startedAt = endedAt - (ringSeconds + talkSeconds + messageSeconds) * 1_000;
  return makeCall(random, to, kind, { startedAt, endedAt, talkSeconds, messageSeconds });
};

const shuffle = <Value>(random: Random, values: readonly Value[]): Value[] =>
  values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);

/** Makes calls. Kinds are dealt like cards, so that ten calls include every kind. */
export const makeCalls = (random: Random, to: string, endings: readonly number[]): SimulatedCall[] => {
  let kinds: Kind[] = [];
  return endings.map((endedAt) => {
    if (kinds.length === 0) kinds = shuffle(random, KINDS);
    return makePastCall(random, to, endedAt, kinds.pop() ?? 'taken');
  });
};

/** Moves a call to another time. */
export const endAt = (call: SimulatedCall, endedAt: number): SimulatedCall => ({
  ...call,
  startedAt: call.startedAt - call.endedAt + endedAt,
  endedAt,
});

const SHORT_SECONDS = 3;

/** Makes a call that starts now and ends soon, so that it can be watched. */
export const makeShortCall = (random: Random, to: string, now: number, kind: Kind): SimulatedCall => {
  const seconds = { talkSeconds: SHORT_SECONDS, messageSeconds: SHORT_SECONDS };
  const call = makeCall(random, to, kind, { startedAt: now, endedAt: now + SHORT_SECONDS * 1_000, ...seconds });
  return { ...call, from: ofContact(random) };
};

/** Repeats and reorders some values, as a real network does. */
export const disturb = <Value>(random: Random, values: readonly Value[]): Value[] => {
  const repeated = values.flatMap((value) => (random() < 0.2 ? [value, value] : [value]));
  const [first, ...rest] = repeated;
  if (first === undefined || random() > 0.3) return repeated;
  return [first, ...shuffle(random, rest)];
};

/** Creates a random generator that gives the same numbers for the same seed. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
