import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CallFact, EndReason, FactKind } from '../contract/call-fact.ts';
import { assembleCall } from './call.ts';
import { MOST_FACTS, pickNewFacts } from './pick-new-facts.ts';

const KINDS: FactKind[] = [
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

const factOf = (key: string, kind: FactKind, more: Partial<CallFact> = {}): CallFact => ({
  key,
  kind,
  occurredAt: 1_000,
  timeFrom: 'provider',
  legId: null,
  ...more,
});

const keep = (known: readonly CallFact[], told: readonly CallFact[]): CallFact[] => [
  ...known,
  ...pickNewFacts(
    known,
    told.map((fact) => ({ fact })),
  ).map(({ fact }) => fact),
];

const noise = (count: number): CallFact[] =>
  Array.from({ length: count }, (_, index) => factOf(`n${index}`, 'ringing', { legId: `L${index}` }));

test('a call keeps each of its facts once', () => {
  const [first, second] = noise(2);
  assert.ok(first && second);
  assert.deepEqual(keep([first], [first, second, second]), [first, second]);
});

test('however much is reported about a call, it keeps a limited number of facts', () => {
  const facts = KINDS.flatMap((kind) =>
    REASONS.flatMap((reason) =>
      Array.from({ length: 300 }, (_, index) => factOf(`${kind} ${reason} ${index}`, kind, { reason })),
    ),
  );
  assert.ok(keep([], facts).length <= MOST_FACTS);
  assert.equal(keep([], noise(5_000)).length, 200);
});

test('after any amount of noise it can still be answered, and end', () => {
  const tried = Array.from({ length: 1_000 }, (_, index) =>
    factOf(`t${index}`, 'forward_ended', { legId: `L${index}`, reason: 'no_answer' }),
  );
  const taken = factOf('taken', 'forward_ended', { legId: 'B', reason: 'completed', reachedHuman: true });
  const ended = factOf('ended', 'ended', { reason: 'completed', occurredAt: 9_000 });
  let kept: CallFact[] = [];
  for (const fact of [...noise(1_000), ...tried, taken, ended]) kept = keep(kept, [fact]);
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
        const told = [...noise(200), ...all.map((fact, index) => factOf(`e${index}`, fact.kind, fact))];
        const [kept, whole] = [keep([], told), told].map((facts) => assembleCall({ direction }, facts));
        assert.deepEqual([kept?.status, kept?.outcome], [whole?.status, whole?.outcome]);
      },
    ),
  );
});
