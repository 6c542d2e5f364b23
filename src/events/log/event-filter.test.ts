import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPES, OPERATOR_ONLY } from './event.ts';
import { choicesOf, type EventFilter, filtersOfLog, fitsAny, OfProvider, toFilters } from './event-filter.ts';

/** All types that filters fit. */
const typesIn = (filters: readonly EventFilter[]) =>
  EVENT_TYPES.filter((type) => {
    const place = { 'provider.event': 'github', 'provider.unmatched': '' }[type as string] ?? null;
    return fitsAny(filters, { type, provider: place, topic: place });
  });
const typesOf = (...choices: string[]) => typesIn(toFilters(choices));
const pattern = new RegExp((OfProvider as { pattern?: string }).pattern ?? assert.fail(), 'u');

test('"*" and groups are everything but tests and what providers say', () => {
  const left = EVENT_TYPES.filter((type) => !typesOf('*').includes(type));
  assert.deepEqual(left, ['provider.event', 'provider.unmatched', 'test']);
  assert.deepEqual(typesOf('provider.*'), []);
  assert.ok(typesOf('call.*').every((type) => type.startsWith('call.')));
  assert.ok(!choicesOf(true).includes('provider.*'));
});

test('nobody can subscribe to what only the operator may read in the log, except that a team was erased', () => {
  assert.deepEqual(
    OPERATOR_ONLY.filter((type) => choicesOf(false).includes(type)),
    [],
  );
  assert.deepEqual(
    OPERATOR_ONLY.filter((type) => choicesOf(true).includes(type)),
    ['team.erased'],
  );
});

test('a choice is of a provider, or of one of its types, which may have a slash or a colon', () => {
  assert.deepEqual(toFilters(['provider.event:github']), [{ provider: 'github', topic: undefined }]);
  assert.deepEqual(toFilters(['provider.event:acme/orders/paid: now']), [
    { provider: 'acme', topic: 'orders/paid: now' },
  ]);
});

test('what is no choice is refused, and selects nothing', () => {
  const wrong = [
    ...['provider.event:', 'provider.event:/issues', 'provider.event:github/', 'provider.event:GitHub'],
    ...['provider.event:github/ issues', 'provider.event:github/issues ', 'provider.event:github/a\nb'],
    ...[`provider.event:github/${'a'.repeat(201)}`, `provider.event:${'a'.repeat(41)}`, 'provider.unmatched:github'],
    ...['xprovider.event:github', 'call.missed:github'],
  ];
  for (const choice of wrong) {
    assert.doesNotMatch(choice, pattern);
    assert.deepEqual(toFilters([choice]), [], choice);
  }
  assert.match(`provider.event:github/${'a'.repeat(200)}`, pattern);
});

test('an event fits one filter at most, so that it is read once', () => {
  const of = (...choices: string[]) => toFilters(choices).length;
  assert.equal(of('provider.event', 'provider.event:github', 'provider.event:github/issues'), 1);
  assert.equal(of('provider.event:github', 'provider.event:github/issues', 'provider.event:github'), 1);
  assert.equal(of('provider.event:github/issues', 'provider.event:github/push', 'provider.event:slack'), 3);
  assert.equal(of('*', 'call.*', 'call.missed'), 1);
  assert.equal(of('call.*', 'call.missed', 'report.ready'), of('call.*') + 1);
});

test('an event fits the choice of its type, its provider, and its provider’s type, and no other', () => {
  const event = { type: 'provider.event', provider: 'github', topic: 'issues' } as const;
  const fits = (choice: string): boolean => fitsAny(toFilters([choice]), event);
  const fitting = ['provider.event', 'provider.event:github', 'provider.event:github/issues'];
  assert.deepEqual(fitting.filter(fits), fitting);
  const others = ['*', 'call.*', 'provider.event:slack', 'provider.event:github/push', 'provider.unmatched', 'test'];
  assert.deepEqual(others.filter(fits), []);
});

test('a team’s log has all but what is only the operator’s', () => {
  const log = typesIn(filtersOfLog(false));
  assert.deepEqual(
    EVENT_TYPES.filter((type) => !log.includes(type)),
    OPERATOR_ONLY,
  );
  assert.deepEqual(typesIn(filtersOfLog(true)), EVENT_TYPES);
});
