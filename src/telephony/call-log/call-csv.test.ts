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
  transcript: null,
  personName: null,
  personUrl: null,
  personProvider: null,
};

test('a call is one line under the names of its fields', () => {
  assert.equal(
    csvHead('fields') + toCsv([CALL], 'fields'),
    'id,provider,externalId,direction,from,to,status,outcome,startedAt,answeredAt,endedAt,talkSeconds,returnedAt,fromName,demo,numberLabel,transcript,personName,personUrl,personProvider\r\n' +
      'c1,twilio,CA1,inbound,+15551230001,+15551239999,ended,missed,2026-11-09T09:15:00.000Z,,2026-11-09T09:16:00.000Z,,,,false,,,,,\r\n',
  );
});

test('for a person, columns have words that say the time zone, and times that a spreadsheet reads', () => {
  assert.equal(
    csvHead('words') + toCsv([{ ...CALL, numberLabel: 'Front desk', transcript: '=1+1, call me' }], 'words'),
    "Call ID,Provider,Provider's call ID,Direction,From,To,Status,Outcome,Started (UTC),Answered (UTC),Ended (UTC)," +
      "Talk time (seconds),Returned (UTC),Caller's name,Demo call,Label of your number,What a machine heard,Contact,Page of the contact,Contact from\r\n" +
      `c1,twilio,CA1,inbound,+15551230001,+15551239999,ended,missed,2026-11-09 09:15:00,,2026-11-09 09:16:00,,,,false,Front desk,"'=1+1, call me",,,\r\n`,
  );
});
