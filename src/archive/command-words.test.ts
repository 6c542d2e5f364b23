import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMoveSteps } from './command-words.ts';

const path = '/srv/data/secrets.json';

test('after a move, generated keys and secrets and the recordings have to come along', () => {
  const names = ['PATCHBAY_KEYS', 'CRON_SECRET', 'PATCHBAY_OPERATOR_TOKEN'];
  assert.deepEqual(listMoveSteps({ generated: { names, path }, keepsRecordings: true }), [
    'Set DATABASE_URL.',
    `Set PATCHBAY_KEYS to the value in ${path}. With PostgreSQL, that file isn't read.`,
    `If a program uses CRON_SECRET or PATCHBAY_OPERATOR_TOKEN, set it to the value in ${path}, too. Otherwise, it changes.`,
    'Start the service with the same PATCHBAY_DATA: deliveries that are not in the database yet stay there.',
    'Recordings stay in PATCHBAY_DATA, too. Before you start a second process, move them to a directory that all of them share (PATCHBAY_RECORDINGS), or to a bucket.',
  ]);
});

test('after a move, settings that were set and recordings in a bucket stay as they are', () => {
  const steps = listMoveSteps({ generated: { names: [], path }, keepsRecordings: false });
  assert.deepEqual(
    steps.map((step) => step.split(/[.:]/)[0]),
    ['Set DATABASE_URL', 'Start the service with the same PATCHBAY_DATA'],
  );
});
