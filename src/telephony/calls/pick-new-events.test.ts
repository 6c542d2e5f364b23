import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CallEvent, EndReason, EventKind } from '../contract/call-event.ts';
import { assembleCall } from './call.ts';
import { MOST_EVENTS, pickNewEvents } from './pick-new-events.ts';

const KINDS: EventKind[] = [
  'initiated',
  'ringing',
  'answered',
  'forwarded',
  'bridged',
  'forward_ended',
  'voicemail',
  'ended',
  'other',
];
const REASONS: EndReason[] = ['completed', 'no_answer', 'busy', 'rejected', 'canceled', 'failed', 'unknown'];

const eventOf = (key: string, kind: EventKind, more: Partial<CallEvent> = {}): CallEvent => ({
  key,
  kind,
  occurredAt: 1_000,
  timeFrom: 'provider',
  legId: null,
  ...more,
});

const keep = (known: readonly CallEvent[], told: readonly CallEvent[]): CallEvent[] => [
  ...known,
  ...pickNewEvents(
    known,
    told.map((event) => ({ event })),
  ).map(({ event }) => event),
];

const noise = (count: number): CallEvent[] =>
  Array.from({ length: count }, (_, index) => eventOf(`n${index}`, 'ringing', { legId: `L${index}` }));

test('a call keeps each of its events once', () => {
  const [first, second] = noise(2);
  assert.ok(first && second);
  assert.deepEqual(keep([first], [first, second, second]), [first, second]);
});

test('however much is reported about a call, it keeps a limited number of events', () => {
  const events = KINDS.flatMap((kind) =>
    REASONS.flatMap((reason) =>
      Array.from({ length: 300 }, (_, index) => eventOf(`${kind} ${reason} ${index}`, kind, { reason })),
    ),
  );
  assert.ok(keep([], events).length <= MOST_EVENTS);
  assert.equal(keep([], noise(5_000)).length, 200);
});

test('after any amount of noise it can still be answered, and end', () => {
  const tried = Array.from({ length: 1_000 }, (_, index) =>
    eventOf(`t${index}`, 'forward_ended', { legId: `L${index}`, reason: 'no_answer' }),
  );
  const taken = eventOf('taken', 'forward_ended', { legId: 'B', reason: 'completed', reachedHuman: true });
  const ended = eventOf('ended', 'ended', { reason: 'completed', occurredAt: 9_000 });
  let kept: CallEvent[] = [];
  for (const event of [...noise(1_000), ...tried, taken, ended]) kept = keep(kept, [event]);
  const { status, outcome, endedAt } = assembleCall({ direction: 'inbound' }, kept);
  assert.deepEqual([status, outcome, endedAt], ['ended', 'answered', 9_000]);
});

const anyEvent = fc.record({
  kind: fc.constantFrom(...KINDS),
  legId: fc.constantFrom(null, 'A', 'B'),
  timeFrom: fc.constantFrom('provider' as const, 'received' as const),
  reason: fc.constantFrom<EndReason>('completed', 'no_answer', 'canceled', 'unknown'),
  reachedHuman: fc.boolean(),
  talkSeconds: fc.constantFrom(0, 30),
});

test('a call ends up the same as if it had kept everything', () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { maxLength: 60 }),
      fc.constantFrom('inbound' as const, 'outbound' as const),
      (all, direction) => {
        const told = [...noise(200), ...all.map((event, index) => eventOf(`e${index}`, event.kind, event))];
        const [kept, whole] = [keep([], told), told].map((events) => assembleCall({ direction }, events));
        assert.deepEqual([kept?.status, kept?.outcome], [whole?.status, whole?.outcome]);
      },
    ),
  );
});
