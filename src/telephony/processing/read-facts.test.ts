import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../contract/delivery.ts';
import { toRecording } from '../provider-parts/facts.ts';
import { twilio } from '../providers/twilio/index.ts';
import { readFacts } from './read-facts.ts';

const delivery: Delivery = { route: 'recording', method: 'POST', target: '/', headers: {}, body: Buffer.alloc(0) };

test('the facts of a delivery are small, whatever was sent', () => {
  const long = 'x'.repeat(250_000);
  const receivedAt = Date.parse('2026-11-15T12:00:00Z');
  const told = { recordingId: long, status: 'available', callKey: long, source: long, errorCode: long } as const;
  const facts = readFacts(
    {
      ...twilio,
      factsOf: () => ({
        call: { callKey: long, direction: 'inbound', from: null, to: null },
        events: [{ key: long, kind: 'other', occurredAt: 1, timeFrom: 'provider', legId: long, raw: long }],
        recordings: [
          toRecording({ ...told, mediaUrl: `https://media.example/${long}` }),
          toRecording({ ...told, mediaUrl: `https://media.example/${'x'.repeat(2_000)}` }),
        ],
      }),
    },
    delivery,
    receivedAt,
  );
  assert.ok(JSON.stringify(facts).length < 8_000, `${JSON.stringify(facts).length} characters`);
  assert.deepEqual(
    facts.recordings.map(({ mediaUrl }) => mediaUrl?.length),
    [undefined, 2_022],
  );
});
