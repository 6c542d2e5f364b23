import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const CALLERS = ['=1+1', 'client:ann;=1+1', 'client:ann\t@SUM(A1)', 'client:ann; "-2+3', 'client:ann\n+cmd|x'];

onOneEngine('a caller’s name', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  for (const [division, name] of [
    [/[,\r\n]/, 'commas'],
    [/[;\r\n]/, 'semicolons'],
    [/[\t\r\n]/, 'tabs'],
  ] as const)
    test(`is not a formula in the CSV, even if cells are separated by ${name}`, async () => {
      const { line, calls, member } = await stage.newTeam();
      for (const From of CALLERS) await line.rings(newCallSid(), { From });
      assert.equal((await calls()).length, CALLERS.length);
      const headers = { ...member.headers, accept: 'text/csv' };
      const { body } = await stage.server.inject({ url: '/api/calls', headers });
      assert.match(body, /ann/);
      const cells = body.split(division).map((cell) => cell.replace(/^[\s"]+/, ''));
      for (const cell of cells) assert.doesNotMatch(cell, /^[=@-]|^\+(?!\d+$)/, body);
    });
});
