import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOf } from '../../src/telephony/contract/delivery.ts';
import { VOICE } from '../harness/telephony-stage.ts';

const ACCOUNT = '0199a2c4-0000-7000-8000-000000000001';

/** Whether it is still there for the next delivery. */
const isKept = (target: string): boolean => {
  const [one, other] = [{ target }, { target }].map(queryOf);
  return one === other;
};

test('only our own addresses are kept in memory, and not what strangers append to them', () => {
  const ours = `${VOICE}?account=${ACCOUNT}&number=${ACCOUNT}&step=screened`;
  const manyNames = Array.from({ length: 950 }, (_, index) => `${index.toString(36)}=`).join('&');
  assert.ok(isKept(ours));
  assert.ok(isKept(VOICE));
  assert.ok(!isKept(`${VOICE}?${manyNames}`));
  assert.ok(!isKept(`${VOICE}?account=${ACCOUNT}${'&'.repeat(8_000)}`));
  assert.ok(!isKept(`${VOICE}?account=${ACCOUNT}&a=&b=&c=&d=`));
  assert.ok(!isKept(`${VOICE}?account=${ACCOUNT}&account=${ACCOUNT}`));
});

test('one delivery’s address is read once, however long it is', () => {
  const delivery = { target: `${VOICE}?${'a=&'.repeat(2_000)}` };
  const [once, again] = [delivery, delivery].map(queryOf);
  assert.equal(once, again);
});
