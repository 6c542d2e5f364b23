import assert from 'node:assert/strict';
import { test } from 'node:test';
import { empty, full, viewOf } from '../../../test/harness/report-figures.ts';
import { renderMail } from './render-mail.ts';
import { renderSlack } from './render-slack.ts';
import { callsBehind } from './row.ts';
import { sectionsOf } from './sections.ts';

test('the calls behind a figure are those of its week’s days', () => {
  assert.equal(callsBehind({ week: '2026-W46' }), '/calls?since=2026-11-09&until=2026-11-15');
  assert.equal(
    callsBehind({ week: '2026-W53' }, { direction: 'inbound', to: '+4940111' }),
    '/calls?since=2026-12-28&until=2027-01-03&direction=inbound&to=%2B4940111',
  );
});

test('every figure links to the rows behind it', () => {
  const without = sectionsOf(viewOf(full))
    .flatMap(({ rows }) => rows)
    .filter(({ evidence }) => evidence === null)
    .map(({ label }) => label);
  assert.deepEqual(without, ['Not shown', 'Unknown number']);
});

test('everyone who waits is there once, with how often they called', () => {
  const call = (callId: string, from: string | null, outcome = 'missed') => ({
    ...{ callId, from, outcome, person: null },
    at: '2026-11-09T13:05:00.000Z',
  });
  const waitingOf = (oldest: ReturnType<typeof call>[], total: number, isOver = true) => {
    const view = { ...viewOf({ ...full, unreturned: { total, oldest } }), isOver };
    const rows = sectionsOf(view).find(({ id }) => id === 'waiting')?.rows ?? [];
    return rows.map(({ label, value, note }) => [label, note ?? value]);
  };
  const calls = [call('1', 'Ann'), call('2', null), call('3', 'Ann', 'voicemail'), call('4', null), call('5', 'Bo')];
  assert.deepEqual(waitingOf(calls, 5), [
    ['Calls still waiting', 'from 4 callers'],
    ['Ann', 'Voicemail, called 2 times'],
    ['Private number', 'Missed'],
    ['Private number', 'Missed'],
    ['Bo', 'Missed'],
  ]);
  assert.deepEqual(waitingOf([call('1', 'Ann'), call('2', 'Ann')], 9, false), [
    ['Calls waiting so far', '9'],
    ['Ann', 'Missed, called 2 times'],
    ['Not shown', '7 more'],
  ]);
});

test('a caller who gives an address instead of a phone number has no link in a message', () => {
  const callers = ['sip:evil.test/reset@evil.test', 'Your bank: https://evil.test', 'evil.test', 'sip:evil.test'];
  const oldest = callers.map((from, index) => ({
    ...{ callId: `c${index}`, from, outcome: 'missed', person: null },
    at: '2026-11-09T13:05:00.000Z',
  }));
  const view = viewOf({ ...full, unreturned: { total: oldest.length, oldest } });
  const mail = renderMail(view, { report: 'https://pb.test/r', unsubscribe: 'https://pb.test/u' });
  const slack = JSON.stringify(renderSlack(view, { report: 'https://pb.test/r' }));
  for (const message of [mail.html, mail.text, slack]) {
    assert.doesNotMatch(message, /evil/);
    assert.equal(message.split('Caller without a phone number').length - 1, oldest.length, 'They stay apart.');
  }
  const onPage = sectionsOf(view, 'h23').flatMap(({ rows }) => rows.map(({ label }) => label));
  for (const from of callers) assert.ok(onPage.includes(from), from);
});

test('nothing has no rows behind it', () => {
  for (const { rows } of sectionsOf(viewOf(empty)))
    for (const { label, evidence } of rows) assert.equal(evidence, null, label);
});
