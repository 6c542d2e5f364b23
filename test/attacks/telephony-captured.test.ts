import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { newCallSid, openTelephonyStage, type Params, signForm, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** Names and values are signed without separators: the same signature fits a form in which one swallows the next. */
const swallow = (form: Params, into: string, name: string): Params => {
  const { [name]: swallowed = '', ...others } = form;
  return { ...others, [into]: `${others[into]}${name}${swallowed}` };
};

type Forgery = { sent: Params; recut(form: Params): Params };

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'a name for someone whom the provider could not name': {
    sent: { CallerName: 'UNKNOWN', CallerState: 'CA' },
    recut: (form) => swallow(form, 'CallerName', 'CallerState'),
  },
  'another name': {
    sent: { CallerName: 'JOHN', CallerState: 'CA' },
    recut: (form) => swallow(form, 'CallerName', 'CallerState'),
  },
  'half of a name': {
    sent: { CallerName: 'JOHN DAN' },
    recut: (form) => ({ ...form, CallerName: 'JOHN ', DAN: '' }),
  },
  'another SIP address': {
    sent: { From: 'sip:alice@a.example', FromCity: 'X' },
    recut: (form) => swallow(form, 'From', 'FromCity'),
  },
  'half of a SIP address': {
    sent: { From: 'sip:ALICE@a.example' },
    recut: (form) => ({ ...form, From: 'sip:A', LICE: '@a.example' }),
  },
  'someone in place of a private number': {
    sent: { From: 'anonymous', FromCity: 'X' },
    recut: (form) => swallow(form, 'From', 'FromCity'),
  },
};

/** How many calls are tried: which of two deliveries won was a matter of chance. */
const TRIES = 6;

onOneEngine('someone who has a copy of a delivery that was signed', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  for (const [what, { sent, recut }] of Object.entries(FORGERIES))
    test(`can't make ${what} of it`, async () => {
      const { line, calls } = await stage.newTeam();
      for (let time = 0; time < TRIES; time++) {
        const form = { ...line.call(newCallSid(), { CallStatus: 'ringing' }), ...sent };
        const honest = signForm(line.address(VOICE), form);
        assert.equal((await stage.server.inject(honest)).statusCode, 200);
        const before = await calls();
        stage.clock.advance(1_000);
        await stage.server.inject({ ...honest, payload: new URLSearchParams(recut(form)).toString() });
        const after = await calls();
        assert.deepEqual(
          after.map(({ from, fromName, to }: Record<string, unknown>) => [from, fromName, to]),
          before.map(({ from, fromName, to }: Record<string, unknown>) => [from, fromName, to]),
        );
      }
    });

  test("can't make a name of an address that contains the word", async () => {
    const { line, calls } = await stage.newTeam();
    const address = 'sip:aCallerNameBOSS@a.example';
    const form = { ...line.call(newCallSid(), { CallStatus: 'ringing' }), From: address, Caller: address };
    const honest = signForm(line.address(VOICE), form);
    const forged = { ...form, Caller: 'sip:a', CallerName: 'BOSS@a.example' };
    const answer = await stage.server.inject({ ...honest, payload: new URLSearchParams(forged).toString() });
    assert.equal(answer.statusCode, 403);
    assert.deepEqual(await calls(), []);
  });
});
