import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Delivery, FORM, JSON_TYPE } from '../../src/telephony/contract/delivery.ts';
import { PROVIDERS } from '../../src/telephony/providers/index.ts';
import { openLine, SENDERS } from '../harness/telephony-senders.ts';
import { openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import * as bandwidth from '../harness/vendors/bandwidth.ts';
import { deliverForm, deliverJson, type Form, readFixture } from '../harness/vendors/deliver.ts';
import * as plivo from '../harness/vendors/plivo.ts';
import * as vonage from '../harness/vendors/vonage.ts';

type Vector = {
  name: string;
  provider?: string;
  method?: 'GET' | 'POST';
  url?: string;
  contentType?: string;
  params?: Record<string, string>;
  rawBody?: string;
  headers?: Record<string, string>;
};

const SIGNED = ['twilio', 'signalwire', 'telnyx', 'plivo', 'vonage'];

const toDelivery = ({ method = 'POST', url, contentType, params, rawBody, headers = {} }: Vector): Delivery => {
  const { pathname, search } = new URL(url ?? 'https://hooks.example.test/api/webhooks/telephony/voice?account=a1');
  const type = contentType ?? (rawBody === undefined ? FORM : JSON_TYPE);
  return {
    route: pathname.endsWith('/recording') ? 'recording' : 'voice',
    method,
    target: `${pathname}${search}`,
    headers: { ...(method === 'POST' ? { 'content-type': type } : {}), ...headers },
    body: Buffer.from(rawBody ?? new URLSearchParams(params).toString()),
  };
};

const named = <Value>(source: Record<string, Value>, make: (value: Value, name: string) => Delivery) =>
  Object.entries(source).map(([name, value]): [string, Delivery] => [name, make(value, name)]);

/** Everything in the collections, by provider; the payloads without any header that identifies it. */
const FIXTURES: Record<string, [string, Delivery][]> = {
  twilio: [],
  signalwire: named(readFixture<Record<string, Form>>('signalwire', 'cxml'), (form) => deliverForm(form)),
  telnyx: [
    ...named(readFixture<Record<string, Form>>('telnyx', 'texml'), (form) => deliverForm(form)),
    ...named(readFixture<Record<string, object>>('telnyx', 'events'), (event) => deliverJson(event)),
  ],
  plivo: named(plivo.DELIVERIES, (_, name) => plivo.deliver(name)),
  vonage: named(vonage.payloads, (payload) => vonage.post(payload)),
  bandwidth: named(bandwidth.ADDRESSES, (_, name) => bandwidth.deliver(name as bandwidth.Name)),
};
for (const provider of SIGNED)
  FIXTURES[provider]?.push(
    ...readFixture<Vector[]>(provider, 'signatures').map((one): [string, Delivery] => [one.name, toDelivery(one)]),
  );

const recognizersOf = (delivery: Delivery): string[] =>
  PROVIDERS.filter((provider) => provider.recognizes(delivery)).map(({ id }) => id);

const first = (delivery: Delivery): string | undefined => PROVIDERS.find(({ recognizes }) => recognizes(delivery))?.id;

describe('a delivery', () => {
  test('exists for every provider', () => {
    assert.deepEqual(
      Object.keys(FIXTURES),
      SENDERS.map(({ provider }) => provider),
    );
    assert.deepEqual(
      PROVIDERS.map(({ id }) => id),
      Object.keys(FIXTURES),
    );
    for (const [provider, deliveries] of Object.entries(FIXTURES)) assert.ok(deliveries.length >= 3, provider);
  });

  for (const [provider, deliveries] of Object.entries(FIXTURES))
    test(`from ${provider} is recognized by ${provider} and no other`, () => {
      const mistaken = deliveries
        .map(([name, delivery]) => [name, recognizersOf(delivery)] as const)
        .filter(([, by]) => by.length !== 1 || by[0] !== provider);
      assert.deepEqual(mistaken, []);
    });

  test('as signed is recognized by its own provider and no other', async (context) => {
    const stage = await openTelephonyStage('sqlite');
    context.after(() => stage.close());
    for (const sender of SENDERS) {
      const line = await openLine(stage, sender);
      const callId = sender.newCallId();
      const said = [
        sender.rings(line.accountId, callId),
        sender.ends(line.accountId, callId),
        sender.recorded(line.accountId, callId, sender.newCallId()),
      ];
      for (const told of said) {
        const { method, target, type, headers, body } = line.honest(told);
        const delivery = {
          route: told.route,
          method,
          target,
          headers: { 'content-type': type, ...headers },
          body: Buffer.from(body),
        };
        assert.deepEqual(recognizersOf(delivery), [sender.provider], JSON.stringify(told));
      }
    }
  });

  test("keeps its provider when it bears another's headers beside its own", async (context) => {
    const stage = await openTelephonyStage('sqlite');
    context.after(() => stage.close());
    for (const sender of SENDERS) {
      const line = await openLine(stage, sender);
      const told = sender.rings(line.accountId, sender.newCallId());
      const { method, target, type, headers, body } = line.honest(told);
      for (const other of SENDERS.filter(({ provider }) => provider !== sender.provider)) {
        const foreign = other
          .newKey()
          .prove({ method, target, type, body }, { now: stage.clock.now(), at: SERVICE_URL });
        const mixed = { 'content-type': type, ...foreign, ...headers };
        const delivery = { route: told.route, method, target, headers: mixed, body: Buffer.from(body) };
        const taken = PROVIDERS.find(({ id }) => id === first(delivery));
        const verdict = taken?.verify(delivery, [{ id: 's1', value: line.key.secret }], {
          publicUrl: SERVICE_URL,
          now: stage.clock.now(),
        });
        // Another provider may be tried first, but it verifies nothing.
        if (taken?.id !== sender.provider)
          assert.notEqual(verdict?.ok, true, `${sender.provider} with ${other.provider}`);
      }
    }
  });

  test('is not recognized from a credential alone, or from what every request has', () => {
    const blank: Delivery = {
      route: 'voice',
      method: 'GET',
      target: '/api/webhooks/telephony/voice?account=a1&step=status&number=n1',
      headers: {},
      body: Buffer.alloc(0),
    };
    const vonageToken = vonage.post(vonage.payload('answer')).headers;
    const nothing: Record<string, Partial<Delivery>> = {
      nothing: {},
      'an access token': { headers: { authorization: 'Bearer pb_1_2' } },
      'a name and password': { headers: { authorization: 'Basic cGF0Y2hiYXk6c2VjcmV0' } },
      "a token of Vonage's": { headers: vonageToken },
      cookies: { headers: { cookie: 'patchbay_session=1', 'user-agent': 'curl', accept: '*/*' } },
      'foreign params': { target: '/api/webhooks/telephony/voice?utm_source=x&id=1&__proto__=1' },
      'an empty form': { method: 'POST', headers: { 'content-type': FORM } },
      'an empty object': { method: 'POST', headers: { 'content-type': JSON_TYPE }, body: Buffer.from('{}') },
      'a list': { method: 'POST', headers: { 'content-type': JSON_TYPE }, body: Buffer.from('[]') },
    };
    for (const [what, change] of Object.entries(nothing))
      assert.deepEqual(recognizersOf({ ...blank, ...change }), [], what);
  });
});
