import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMassRefusals } from '../../src/integrations/verification/mass-refusal.ts';
import { createTestClock } from '../harness/app.ts';

const at = (authority: string, teamId: string) => ({ provider: 'gitlab', teamId, authority });

test("one customer's host that refuses everybody doesn't make another host's refusals unbelievable", () => {
  const refusals = createMassRefusals({ clock: createTestClock() });
  for (let index = 0; index < 10; index++) assert.ok(refusals.believes(at('gitlab.attacker.example', `t${index % 3}`)));
  assert.ok(refusals.believes(at('gitlab.com', 'victim')), 'A refusal by gitlab.com was not believed.');
});
