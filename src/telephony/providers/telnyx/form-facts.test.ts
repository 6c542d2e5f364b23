import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallEvent } from '../../contract/call-event.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { deliverEvent, deliverForm, events, forms } from './fixtures/deliveries.ts';
import { factsOf, NOON, outcomeOf } from './fixtures/stories.ts';
import { telnyx } from './index.ts';

const onlyEvent = (delivery: Delivery): CallEvent => {
  const [event, ...others] = factsOf(delivery).events;
  assert.ok(event && others.length === 0);
  return event;
};
const form = (name: string, more: Record<string, string> = {}, step?: string) =>
  deliverForm({ ...forms[name], ...more }, step ? { step } : {});

describe('a call answered with TeXML comes out as', () => {
  const begin = [form('incoming'), form('initiated', {}, 'status'), form('answered', {}, 'status')];
  const end = form('completed', {}, 'status');
  for (const [outcome, what, deliveries] of [
    ['answered', 'the person who was dialled took it', [form('dialAnswered', {}, 'dialed'), end]],
    [
      'answered',
      'they pressed the key',
      [
        form('screening', {}, 'screen'),
        form('keyPressed', {}, 'screened'),
        form('dialAnswered', { DialCallDuration: '20' }, 'screened'),
        end,
      ],
    ],
    [
      'answered',
      'it lasted longer than any screening',
      [form('screening', {}, 'screen'), form('dialAnswered', { DialCallDuration: '300' }, 'screened'), end],
    ],
    [
      'missed',
      'a machine picked up and pressed nothing',
      [
        form('screening', {}, 'screen'),
        form('dialAnswered', { DialCallDuration: '12' }, 'screened'),
        form('completedWithDial', {}, 'status'),
      ],
    ],
    ['missed', 'nobody took it', [form('childNotAnswered', {}, 'status'), form('dialNotAnswered', {}, 'dialed'), end]],
    ['missed', 'who was dialled was busy', [form('dialBusy', {}, 'dialed'), end]],
    ['abandoned', 'the caller gave up while it rang', [form('dialCanceled', {}, 'dialed'), end]],
    [
      'voicemail',
      'a message was left',
      [form('dialNotAnswered', {}, 'dialed'), form('messageLeft', {}, 'voicemail'), end],
    ],
    [
      'voicemail',
      'the recording of a message was told',
      [form('dialNotAnswered', {}, 'dialed'), form('messageDone'), end],
    ],
    [
      'missed',
      'the message was empty',
      [form('dialNotAnswered', {}, 'dialed'), form('messageLeft', { RecordingDuration: '0' }, 'voicemail'), end],
    ],
    ['missed', 'it was not forwarded', [end]],
  ] as const)
    test(`${outcome}: ${what}`, () => assert.equal(outcomeOf([...begin, ...deliveries]), outcome));
});

describe('a TeXML delivery', () => {
  test('belongs to the call of the leg that dialled', () => {
    const facts = factsOf(form('childAnswered', {}, 'status'));
    assert.equal(facts.call?.callKey, forms['incoming']?.['CallSid']);
    assert.deepEqual(
      facts.events.map(({ kind, legId }) => [kind, legId]),
      [['forwarded', forms['childAnswered']?.['CallSid']]],
    );
    assert.deepEqual(factsOf(form('incoming')).call, {
      callKey: forms['incoming']?.['CallSid'],
      direction: 'inbound',
      from: { kind: 'number', value: '+15551230001' },
      to: { kind: 'number', value: '+15551239999' },
    });
  });

  test('is no call of its own when it is of a dialled leg that does not name the caller', () => {
    for (const name of ['screening', 'keyPressed']) {
      const { call, events: told } = factsOf(form(name, { ParentCallSid: '' }));
      assert.deepEqual([call, told], [null, []], name);
    }
  });

  test('has its time as it is written there, and UTC without a zone', () => {
    for (const [written, iso] of [
      ['2021-04-28 21:51:18.731479Z', '2021-04-28T21:51:18.731Z'],
      ['2026-11-16 12:00:00', '2026-11-16T12:00:00.000Z'],
      ['2026-11-16T12:00:00.5', '2026-11-16T12:00:00.500Z'],
      ['Mon, 16 Nov 2026 12:00:00 +0000', '2026-11-16T12:00:00.000Z'],
      ['Mon, 16 Nov 2026 12:00:00', '2026-11-16T12:00:00.000Z'],
    ] as const) {
      const event = onlyEvent(form('answered', { Timestamp: written }));
      assert.deepEqual([new Date(event.occurredAt).toISOString(), event.timeFrom], [iso, 'provider'], written);
    }
    assert.equal(onlyEvent(form('answered', { Timestamp: 'yesterday' })).timeFrom, 'received');
  });

  test('tells of a recording, and until when its address works', () => {
    const url = forms['recordingDone']?.['RecordingUrl'] ?? '';
    const [recording] = factsOf(form('recordingDone')).recordings;
    assert.deepEqual(recording, {
      recordingId: '35094891-3290-4142-b2c2-b2eda57534cf',
      status: 'available',
      callKey: forms['incoming']?.['CallSid'],
      startedAt: null,
      durationMs: 42_000,
      channels: 2,
      source: 'DialVerb',
      errorCode: null,
      mediaUrl: url,
      mediaExpiresAt: NOON + 60_000 + 600_000,
    });
    const plain = factsOf(form('recordingDone', { RecordingUrl: 'https://api.telnyx.com/x.mp3' }));
    assert.equal(plain.recordings[0]?.mediaExpiresAt, NOON + 70_000 + 600_000);
    assert.deepEqual(
      factsOf(form('recordingBegun')).recordings.map(({ status, mediaExpiresAt }) => [status, mediaExpiresAt]),
      [['in_progress', null]],
    );
    assert.deepEqual(factsOf(form('recordingDone', { RecordingStatus: 'odd' })).recordings, []);
  });

  test('keeps a status that is not known', () => {
    const event = onlyEvent(form('answered', { CallStatus: 'teleported' }));
    assert.deepEqual([event.kind, event.raw], ['other', 'teleported']);
  });

  test('drops durations that cannot be', () => {
    for (const CallDuration of ['-1', '999999999', 'long'])
      assert.equal(onlyEvent(form('completed', { CallDuration })).talkSeconds, undefined);
  });
});

describe('a captured body that is sent again to another address', () => {
  const STEPS = [undefined, 'status', 'dialed', 'voicemail', 'screen', 'screened', 'made-up'];

  test('is the same delivery and says the same, or less for certain', () => {
    for (const [name, params] of Object.entries(forms)) {
      const first = factsOf(form(name, {}, 'status'));
      for (const step of STEPS)
        for (const route of ['voice', 'recording'] as const) {
          const again = factsOf(deliverForm(params, { route, ...(step ? { step } : {}) }));
          const doubt = first.events.map((event) =>
            step === 'screened' && event.reachedHuman ? { ...event, reachedHuman: false } : event,
          );
          assert.deepEqual(again, { ...first, events: doubt }, `${name} ${step} ${route}`);
        }
    }
  });

  test('makes no message of a call, and no person of a machine', () => {
    for (const step of STEPS)
      for (const name of ['incoming', 'answered', 'completed', 'dialNotAnswered', 'screening', 'childAnswered']) {
        const { events: told } = factsOf(form(name, {}, step));
        assert.ok(told.every(({ kind, reachedHuman }) => kind !== 'voicemail' && kind !== 'bridged' && !reachedHuman));
      }
  });

  test('of an event never gets a document', () => {
    for (const step of STEPS)
      for (const event of Object.values(events))
        assert.deepEqual(telnyx.occasionOf(deliverEvent(event, step ? { step } : {})), { kind: 'nothing' });
  });
});
