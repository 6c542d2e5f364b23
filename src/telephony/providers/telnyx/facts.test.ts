import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  deliverForm,
  deliverJson,
  type Form,
  type Payload,
  readFixture,
  type Where,
} from '../../../../test/harness/vendors/deliver.ts';
import { assembleCall } from '../../calls/call.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { telnyx } from './index.ts';

const NOON = Date.parse('2026-11-16T12:00:00Z');
const forms = readFixture<Record<string, Form>>('telnyx', 'texml');
const events = readFixture<Record<string, { data: Payload; meta: object }>>('telnyx', 'events');
const factsOf = (delivery: Delivery) => telnyx.factsOf(delivery, NOON + 70_000);

describe('a captured body sent again to another URL', () => {
  const STEPS = [undefined, 'status', 'dialed', 'voicemail', 'screen', 'screened', 'made-up'];
  const form = (name: string, where: Where = {}) => deliverForm(forms[name], where);

  test('is the same delivery and says the same, or is less certain', () => {
    for (const name of Object.keys(forms)) {
      const first = factsOf(form(name, { step: 'status' }));
      for (const step of STEPS)
        for (const route of ['voice', 'recording'] as const) {
          const again = factsOf(form(name, { route, step }));
          const doubt = first.events.map((event) =>
            step === 'screened' && event.reachedHuman ? { ...event, reachedHuman: false } : event,
          );
          assert.deepEqual(again, { ...first, events: doubt }, `${name} ${step} ${route}`);
        }
    }
  });

  test('never turns a call into a message, or a machine into a person', () => {
    for (const step of STEPS)
      for (const name of ['incoming', 'answered', 'completed', 'dialNotAnswered', 'screening', 'childAnswered']) {
        const { events: told } = factsOf(form(name, { step }));
        assert.ok(told.every(({ kind, reachedHuman }) => kind !== 'voicemail' && kind !== 'bridged' && !reachedHuman));
      }
  });

  test('never gets a document if it is an event', () => {
    for (const step of STEPS)
      for (const event of Object.values(events))
        assert.deepEqual(telnyx.occasionOf(deliverJson(event, { step })), { kind: 'nothing' });
  });
});

describe('a Call Control event', () => {
  test('has the id of the event as its key, whatever the attempt', () => {
    const first = deliverJson(events['hangup']);
    const again = deliverJson({ ...events['hangup'], meta: { attempt: 2, delivered_to: 'https://elsewhere.example' } });
    assert.equal(telnyx.keyOf(first), events['hangup']?.data['id']);
    assert.equal(telnyx.keyOf(again), telnyx.keyOf(first));
    assert.deepEqual(factsOf(again), factsOf(first));
    const nameless = (attempt: number) =>
      deliverJson({ data: { ...events['hangup']?.data, id: null }, meta: { attempt } });
    assert.equal(telnyx.keyOf(nameless(1)), telnyx.keyOf(nameless(2)));
  });

  test('says which direction the call has', () => {
    assert.equal(factsOf(deliverJson(events['dialedInitiated'])).call?.direction, 'outbound');
  });

  for (const [outcome, names] of [
    ['answered', ['initiated', 'answered', 'dialedInitiated', 'dialedAnswered', 'bridged', 'dialedHangup', 'hangup']],
    ['missed', ['initiated', 'answered', 'dialedInitiated', 'dialedNotAnswered', 'hangup']],
    ['missed', ['initiated', 'answered', 'dialedInitiated', 'dialedAnswered', 'dialedHangup', 'hangup']],
    ['abandoned', ['initiated', 'canceled']],
  ] as const)
    test(`adds up to ${outcome}: ${names.join(', ')}`, () => {
      const told = names.flatMap((name) => [...factsOf(deliverJson(events[name])).events]);
      for (const order of [told, told.toReversed(), [...told, ...told]])
        assert.equal(assembleCall({ direction: 'inbound' }, order).outcome, outcome);
    });

  test('has a recording that is not deleted without an API key', () => {
    const [recording] = factsOf(deliverJson(events['recordingSaved'])).recordings;
    assert.ok(recording);
    assert.match(recording.mediaUrl ?? '', /\.wav\?/);
    const account = { accountId: null, secrets: [], api: {} };
    assert.deepEqual(telnyx.removalOf(recording, account), { missing: 'an API key (api.key)' });
  });
});
