import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { type Fields, openLine, SENDERS, send, senderOf } from '../harness/telephony-senders.ts';
import { COLLEAGUE, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const UNKNOWN_NUMBER = /The number you have dialed is not in service/;
const MARKUP_VERBS = /<(?:Dial|Redirect|Play|Record|Sms|Transfer|Number|PhoneNumber|Forward)\b/;

/** Text that would be more than a name if it weren't escaped. */
const NAMES = {
  'a verb': '</Say><Dial>+19005550000</Dial><Say>',
  'a verb of Plivo': '</Speak><Dial><Number>19005550000</Number></Dial><Speak>',
  'a verb of Bandwidth': '</SpeakSentence><Transfer><PhoneNumber>+19005550000</PhoneNumber></Transfer>',
  'an attribute': '" action="https://evil.example/',
  'a section of its own': ']]><Redirect>https://evil.example/</Redirect><![CDATA[',
  'an entity': '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  'a comment': '--><Play>https://evil.example/</Play><!--',
  'what is escaped already': '&lt;Dial&gt;&#60;Dial&#62;',
  JSON: '"},{"action":"connect","endpoint":[{"type":"phone","number":"19005550000"}]},{"x":"',
  'emoji and the other direction': '😀 \u202eGNP.exe \u05d0\u05d1 é\u0301',
  'what XML cannot hold': 'a\u0001\u0008\u000b\ufffe\uffff\u0000z',
  'half a character': 'a\ud83d',
};

/** Reads a document as strictly as the simplest parser, and returns the names of its elements in order. */
const parseXml = (text: string): string[] => {
  const [, root = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>(.*)$/s.exec(text) ?? assert.fail(text);
  const token = /<(\/?)([A-Za-z]+)((?: [A-Za-z]+="[^"<>&]*(?:&(?:amp|lt|gt|quot|apos);[^"<>&]*)*")*)(\/?)>|([^<>]+)/gsy;
  const open: string[] = [];
  const names: string[] = [];
  let at = 0;
  for (const match of root.matchAll(token)) {
    assert.equal(match.index, at, `not XML at ${root.slice(at, at + 60)}`);
    at += match[0].length;
    const [, closes, name = '', , empty, said] = match;
    if (said !== undefined) assert.doesNotMatch(said, /&(?!(?:amp|lt|gt|quot|apos);)/, said);
    else if (closes) assert.equal(open.pop(), name);
    else {
      names.push(name);
      if (!empty) open.push(name);
    }
  }
  assert.equal(at, root.length, `not XML at ${root.slice(at, at + 60)}`);
  assert.deepEqual(open, []);
  assert.doesNotMatch(text, /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Cs}/u);
  return names;
};

onOneEngine('a call', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const openTwilio = () => openLine(stage, senderOf('twilio'), { answer: { greeting: 'Welcome.' } });

  for (const sender of SENDERS) {
    test(`to a ${sender.provider} number that is not set up gets a polite message and is recorded`, async () => {
      const line = await openLine(stage, sender);
      const told = sender.rings(line.accountId, sender.newCallId());
      const fields = Object.fromEntries(
        Object.entries(told.fields).map(([name, value]) => [name, value.replace('5551239999', '5551238888')]),
      );
      const answer = await send(stage, line.honest({ ...told, fields }));
      assert.equal(answer.statusCode, 200, answer.body);
      assert.match(answer.body, UNKNOWN_NUMBER);
      assert.doesNotMatch(answer.body, /Welcome/);
      const [call] = await line.calls();
      assert.deepEqual([call.to, call.from, call.direction], ['+15551238888', '+15551230001', 'inbound']);
    });
  }

  test('in an unknown state is kept with the word for it', async () => {
    const line = await openTwilio();
    const callId = line.sender.newCallId();
    const ring = line.sender.rings(line.accountId, callId);
    const answer = await send(stage, line.honest({ ...ring, fields: { ...ring.fields, CallStatus: 'pondering' } }));
    assert.ok(answer.statusCode < 300, answer.body);
    const [{ id, status, outcome }] = await line.calls();
    const { events } = await line.call(id);
    assert.deepEqual([status, outcome], ['ringing', null]);
    assert.deepEqual(
      events.map(({ kind, raw }: { kind: string; raw: string }) => [kind, raw]),
      [['other', 'pondering']],
    );
  });

  test('that ended before it rang has ended', async () => {
    const line = await openTwilio();
    const { sender, accountId } = line;
    const callId = sender.newCallId();
    for (const told of [sender.ends(accountId, callId), sender.rings(accountId, callId)])
      assert.ok((await send(stage, line.honest(told))).statusCode < 300);
    const [call, ...others] = await line.calls();
    assert.deepEqual(others, []);
    assert.deepEqual([call.status, call.outcome, call.endedAt], ['ended', 'missed', '2026-11-15T12:00:20.000Z']);
  });

  test('reported after its recording has the recording', async () => {
    for (const sender of SENDERS) {
      const line = await openLine(stage, sender);
      const callId = sender.newCallId();
      const recordingId = sender.provider === 'twilio' ? newRecordingSid() : sender.newCallId();
      assert.ok(
        (await send(stage, line.honest(sender.recorded(line.accountId, callId, recordingId)))).statusCode < 300,
      );
      assert.equal((await line.count()).recordings, 1, sender.provider);
      for (const told of [sender.rings(line.accountId, callId), sender.ends(line.accountId, callId)])
        assert.ok((await send(stage, line.honest(told))).statusCode < 300, sender.provider);
      const calls = await line.calls();
      assert.equal(calls.length, 1, sender.provider);
      const { recordings, status } = await line.call(calls[0].id);
      assert.deepEqual([recordings.length, status], [1, 'ended'], sender.provider);
      assert.deepEqual(new Set(await line.states()), new Set(['processed']), sender.provider);
    }
  });

  describe('with an impossible duration or time', () => {
    const ABSURD: Record<string, { fields: Fields }> = {
      'less than nothing': { fields: { CallDuration: '-5' } },
      'thirty years': { fields: { CallDuration: '999999999' } },
      'more than a number holds': { fields: { CallDuration: '9'.repeat(400) } },
      'no number': { fields: { CallDuration: 'NaN' } },
      infinity: { fields: { CallDuration: '1e400' } },
      'a fraction': { fields: { CallDuration: '1.5' } },
      'before all time': { fields: { Timestamp: '-271821-04-20T00:00:00Z' } },
      'after all time': { fields: { Timestamp: '+275760-09-13T00:00:00Z' } },
      'no time': { fields: { Timestamp: 'the day after tomorrow' } },
      'an empty time': { fields: { Timestamp: '' } },
    };
    for (const [what, { fields }] of Object.entries(ABSURD))
      test(`is refused, or recorded without it: ${what}`, async () => {
        const line = await openTwilio();
        const { sender, accountId } = line;
        const earlier = sender.newCallId();
        await send(stage, line.honest(sender.rings(accountId, earlier)));
        const told = sender.ends(accountId, sender.newCallId());
        const outbound = { ...told.fields, Direction: 'outbound-api', CallStatus: 'completed', ...fields };
        const { statusCode } = await send(stage, line.honest({ ...told, fields: outbound }));
        assert.ok(statusCode === 204 || statusCode === 403, `${statusCode}`);
        assert.ok((await line.states()).every((state) => state === 'processed'));
        const read = async (query: string) => {
          const answer = await stage.server.inject({ url: `/api/calls${query}`, headers: line.team.member.headers });
          assert.equal(answer.statusCode, 200, `${query} ${answer.body}`);
          return answer.json();
        };
        const { calls } = await read('');
        assert.equal(calls.length, statusCode === 204 ? 2 : 1);
        for (const { talkSeconds, startedAt } of calls) {
          assert.ok(talkSeconds === null || (talkSeconds >= 0 && talkSeconds <= 604_800), `${talkSeconds}`);
          assert.match(startedAt, /^20\d\d-/, 'It is in its place among the others.');
        }
        // Page by page, without skipping any.
        const seen: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: { calls: { id: string }[]; nextCursor: string | null } = await read(
            `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
          );
          seen.push(...page.calls.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        assert.equal(seen.length, calls.length);
      });
  });

  describe('from someone who is not a number', () => {
    const CALLERS: Record<string, { from: string; shown: string | null }> = {
      SIP: { from: 'sip:alice@pbx.example;transport=tls', shown: 'sip:alice@pbx.example;transport=tls' },
      'an app': { from: 'client:bob', shown: 'client:bob' },
      'somebody anonymous': { from: 'anonymous', shown: null },
      "the carrier's number for anonymous": { from: '+266696687', shown: null },
      nobody: { from: '', shown: null },
      emoji: { from: '😀', shown: '😀' },
      'the other direction': { from: '\u202e123\u05d0', shown: '\u202e123\u05d0' },
      'a formula': { from: '=HYPERLINK("https://evil.example")', shown: '=HYPERLINK("https://evil.example")' },
      'a short code': { from: '12345', shown: '12345' },
      'a page': { from: '<script>alert(1)</script>', shown: '<script>alert(1)</script>' },
    };
    for (const [what, { from, shown }] of Object.entries(CALLERS))
      test(`is answered and recorded as is: ${what}`, async () => {
        const line = await openTwilio();
        const ring = line.sender.rings(line.accountId, line.sender.newCallId());
        const answer = await send(stage, line.honest({ ...ring, fields: { ...ring.fields, From: from } }));
        assert.equal(answer.statusCode, 200, answer.body);
        assert.match(answer.body, /Welcome/);
        const [call, ...others] = await line.calls();
        assert.deepEqual(others, []);
        assert.equal(call.from, shown);
        if (shown !== null) {
          const found = await line.calls(`?from=${encodeURIComponent(from)}`);
          assert.deepEqual(
            found.map(({ id }: { id: string }) => id),
            [call.id],
          );
        } else assert.deepEqual(await line.calls('?from=anonymous'), [], 'Nobody in particular is found by no name.');
        const csv = await stage.server.inject({
          url: '/api/calls',
          headers: { ...line.team.member.headers, accept: 'text/csv' },
        });
        assert.equal(csv.statusCode, 200);
        assert.doesNotMatch(csv.body, /(?:^|,)"?[=@]/m, 'A spreadsheet carries nothing out.');
      });
  });

  describe('whose caller has a dangerous name', () => {
    const FIELDS: Record<string, string[]> = {
      twilio: ['CallerName', 'FromCity', 'From'],
      signalwire: ['CallerName', 'From'],
      telnyx: ['CallerName', 'From'],
      plivo: ['CallerName'],
      vonage: ['from'],
      bandwidth: ['from', 'tag'],
    };
    for (const sender of SENDERS)
      test(`is answered by ${sender.provider} as configured, with nothing of the name`, async () => {
        const line = await openLine(stage, sender, { answer: { greeting: 'Welcome.', voicemail: false } });
        const plain = await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())));
        for (const [what, name] of Object.entries(NAMES))
          for (const field of FIELDS[sender.provider] ?? assert.fail(sender.provider)) {
            const told = sender.rings(line.accountId, sender.newCallId());
            const sent = line.honest({ ...told, fields: { ...told.fields, [field]: name } });
            const answer = await send(stage, sent);
            if (answer.statusCode === 403) continue;
            assert.equal(answer.statusCode, 200, `${what}: ${answer.body}`);
            assert.equal(answer.body, plain.body, what);
          }
        assert.ok((await line.states()).every((state) => state === 'processed'));
      });
  });

  describe('with a greeting an admin pasted from somewhere', () => {
    for (const sender of SENDERS)
      test(`is answered by ${sender.provider} with words, and no unintended verb`, async () => {
        const answerOf = async (answer: object) => {
          const line = await openLine(stage, sender, { answer });
          const sent = await send(stage, line.honest(sender.rings(line.accountId, sender.newCallId())));
          assert.equal(sent.statusCode, 200, sent.body);
          return sent.body;
        };
        const shapeOf = (body: string): unknown =>
          sender.provider === 'vonage' ? JSON.parse(body).map((action: object) => Object.keys(action)) : parseXml(body);
        const plain = shapeOf(await answerOf({ greeting: 'Welcome.', voicemail: false }));
        for (const [what, name] of Object.entries(NAMES)) {
          const line = { greeting: name.toWellFormed().replaceAll('\u0000', ''), voicemail: false };
          const body = await answerOf(line);
          assert.deepEqual(shapeOf(body), plain, `${what}: ${body}`);
          if (sender.provider !== 'vonage') assert.doesNotMatch(body, MARKUP_VERBS, what);
          // Vonage treats text in angle brackets as markup.
          else assert.doesNotMatch(JSON.stringify(JSON.parse(body).map(({ text = '' }) => text)), /[<>]/, what);
        }
        const forwarded = await answerOf({
          greeting: NAMES['a verb'],
          forwardTo: [COLLEAGUE],
          record: true,
          notice: NAMES.JSON,
        });
        assert.doesNotMatch(forwarded, /<Dial>\+?19005550000|"number":"19005550000"/);
        assert.match(forwarded, new RegExp(COLLEAGUE.slice(1)), 'It rings where it was meant to.');
        shapeOf(forwarded);
      });
  });
});
