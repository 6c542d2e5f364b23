import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CsvCall, csvHead, toCsv } from './call-csv.ts';

const CALL: CsvCall = {
  id: 'c1',
  provider: 'twilio',
  externalId: 'CA1',
  direction: 'inbound',
  from: '+15551230001',
  to: '+15551239999',
  status: 'ended',
  outcome: 'missed',
  startedAt: '2026-11-09T09:15:00.000Z',
  answeredAt: null,
  endedAt: '2026-11-09T09:16:00.000Z',
  talkSeconds: null,
  returnedAt: null,
  fromName: null,
  demo: false,
  numberLabel: null,
};

const cellOf = (from: string): string =>
  /^c1,twilio,CA1,inbound,([\s\S]*),\+15551239999,/.exec(toCsv([{ ...CALL, from }], 'fields'))?.[1] ?? '';

test('a call is one line under the names of its fields', () => {
  assert.equal(
    csvHead('fields') + toCsv([CALL], 'fields'),
    'id,provider,externalId,direction,from,to,status,outcome,startedAt,answeredAt,endedAt,talkSeconds,returnedAt,fromName,demo,numberLabel\r\n' +
      'c1,twilio,CA1,inbound,+15551230001,+15551239999,ended,missed,2026-11-09T09:15:00.000Z,,2026-11-09T09:16:00.000Z,,,,false,\r\n',
  );
});

test('for a person, columns have words that say the time zone, and times that a spreadsheet reads', () => {
  assert.equal(
    csvHead('words') + toCsv([{ ...CALL, numberLabel: 'Front desk' }], 'words'),
    "Call ID,Provider,Provider's call ID,Direction,From,To,Status,Outcome,Started (UTC),Answered (UTC),Ended (UTC)," +
      "Talk time (seconds),Returned (UTC),Caller's name,Demo call,Label of your number\r\n" +
      'c1,twilio,CA1,inbound,+15551230001,+15551239999,ended,missed,2026-11-09 09:15:00,,2026-11-09 09:16:00,,,,false,Front desk\r\n',
  );
});

test('anything a spreadsheet would take for a formula is plain text', () => {
  for (const name of [
    '=1+1',
    '@SUM(A1)',
    '+cmd|x',
    '-2+3',
    '+1 555',
    '+15551230001a',
    '-1',
    '+',
    '＝1+1',
    '＠SUM(1)',
    '\u200b=1',
  ])
    assert.equal(cellOf(name), `'${name}`, name);
  assert.equal(cellOf('\tx'), `"'\tx"`);
  assert.equal(cellOf('\r=1'), `"'\r'=1"`);
  assert.equal(cellOf('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
});

test('nor is there a formula if a spreadsheet splits cells at semicolons or tabs', () => {
  assert.equal(cellOf('Ann;=1+1'), `"Ann;'=1+1"`);
  assert.equal(cellOf('Ann\t@SUM(A1)'), `"Ann\t'@SUM(A1)"`);
  assert.equal(cellOf('Ann; -2+3;+cmd|x'), `"Ann;' -2+3;'+cmd|x"`);
  assert.equal(cellOf('Ann;"=1"'), `"Ann;'""=1"""`);
  assert.equal(cellOf('Ann\n=1'), `"Ann\n'=1"`);
  assert.equal(cellOf('+15551230001;=1'), `"'+15551230001;'=1"`);
});

test('phone numbers and names stay unchanged', () => {
  for (const name of ['+15551230001', 'Ann-Marie', 'a+b', 'a=b', 'sip:a@b.example', ''])
    assert.equal(cellOf(name), name);
  assert.equal(cellOf('Smith; Ann'), '"Smith; Ann"');
  assert.equal(cellOf('Smith, Ann "A"'), '"Smith, Ann ""A"""');
  assert.equal(cellOf('two\nlines'), '"two\nlines"');
});
