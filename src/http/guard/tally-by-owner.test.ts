import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTallyByOwner } from './tally-by-owner.ts';

type Item = { whose: string; index: number };

test('finds the oldest of whoever has the most, whatever was added and removed', () => {
  const step = fc.record({ whose: fc.constantFrom('a', 'b', 'c', 'd'), removes: fc.option(fc.nat(30)) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tally = createTallyByOwner<Item>();
      let items: Item[] = [];
      steps.forEach(({ whose, removes }, index) => {
        const item = removes === null ? { whose, index } : items[removes];
        if (!item) return;
        if (removes === null) tally.add(item);
        else tally.remove(item);
        items = removes === null ? [...items, item] : items.filter((other) => other !== item);
        const sizes = Map.groupBy(items, (one) => one.whose);
        const most = Math.max(0, ...[...sizes.values()].map(({ length }) => length));
        const found = tally.find(() => true);
        assert.equal(found === undefined, items.length === 0);
        if (!found) return;
        assert.equal(sizes.get(found.whose)?.length, most);
        assert.equal(sizes.get(found.whose)?.[0], found);
        const fitting = (one: Item) => one.whose === 'a';
        assert.equal(tally.find(fitting), items.find(fitting));
      });
    }),
  );
});
