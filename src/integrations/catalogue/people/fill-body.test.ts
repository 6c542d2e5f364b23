import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillBody, fillOptional } from './fill-body.ts';

const contact = {
  properties: { title: '{title}', to: '{to}', source: 'fixed' },
  associations: [{ to: { id: '{person}' }, types: [{ category: 'ours' }] }],
  done: true,
};

test('a body has the values, and numbers where they are wanted', () => {
  const filled = fillBody(
    { ...contact, participants: [{ id: '{person:number}' }] },
    { title: 'Missed call', to: '+1', person: '7' },
  );
  assert.deepEqual(filled, {
    properties: { title: 'Missed call', to: '+1', source: 'fixed' },
    associations: [{ to: { id: '7' }, types: [{ category: 'ours' }] }],
    done: true,
    participants: [{ id: 7 }],
  });
});

test('what has no value is left out, and so is an object of a list that lacks one', () => {
  const filled = fillBody(contact, { title: 'Missed call', to: null, person: null });
  assert.deepEqual(filled, { properties: { title: 'Missed call', source: 'fixed' }, done: true });
});

test('a value never becomes a placeholder, and is encoded where it has to be', () => {
  assert.deepEqual(fillBody({ a: '{title}' }, { title: '{to}', to: 'x' }), { a: '{to}' });
  assert.equal(fillOptional('/calls/{log}', { log: '../x?y' }, encodeURIComponent), '/calls/..%2Fx%3Fy');
  assert.equal(fillOptional('/calls/{log}', {}), null);
  assert.equal(fillOptional('{toString}', {}), null);
});
