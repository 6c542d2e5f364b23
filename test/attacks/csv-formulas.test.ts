import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const CALLERS = ['=1+1', 'client:ann;=1+1', 'client:ann\t@SUM(A1)', 'client:ann; "-2+3', 'client:ann\n+cmd|x'];

const KEYS = ['=1+1', '@SUM(A1)', '+cmd|x', '-2+3'];

const DIVISIONS = [
  [/[,\r\n]/, 'commas'],
  [/[;\r\n]/, 'semicolons'],
  [/[\t\r\n]/, 'tabs'],
] as const;

const expectNoFormulas = (body: string, division: RegExp): void => {
  const cells = body.split(division).map((cell) => cell.replace(/^[\s"]+/, ''));
  for (const cell of cells) assert.doesNotMatch(cell, /^[=@-]|^\+(?!\d+$)/, body);
};

onOneEngine('a caller’s name', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  for (const [division, name] of DIVISIONS)
    test(`is not a formula in the CSV, even if cells are separated by ${name}`, async () => {
      const { line, calls, member } = await stage.newTeam();
      for (const From of CALLERS) await line.rings(newCallSid(), { From });
      assert.equal((await calls()).length, CALLERS.length);
      const headers = { ...member.headers, accept: 'text/csv' };
      const { body } = await stage.server.inject({ url: '/api/calls', headers });
      assert.match(body, /ann/);
      expectNoFormulas(body, division);
    });
});

onOneEngine('a customer’s user who is named like a formula', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  for (const [division, name] of DIVISIONS)
    test(`is not a formula in the CSV of the audit log, even if cells are separated by ${name}`, async () => {
      await putCustomer(stage, name);
      for (const user of KEYS) {
        const { headers } = asCustomer(name, user);
        const payload = { name: `${user};=1+1\t-2+3` };
        const answer = await stage.server.inject({ method: 'POST', url: '/api/tokens', headers, payload });
        assert.equal(answer.statusCode, 201, answer.body);
      }
      const { headers } = asCustomer(name);
      const { body } = await stage.server.inject({ url: '/api/audit', headers: { ...headers, accept: 'text/csv' } });
      assert.equal(body.split('token.create').length, KEYS.length + 1);
      expectNoFormulas(body, division);
    });
});
