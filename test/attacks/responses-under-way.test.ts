import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import type { Visitor } from '../../src/teams/index.ts';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { newCallSid, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** Exporting them takes many queries. */
const CALLS = 500;

type Team = Awaited<ReturnType<TelephonyStage['newTeam']>>;

onOneEngine('a response being sent to a member', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let origin = '';

  before(async () => {
    await stage.server.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${(stage.server.server.address() as AddressInfo).port}`;
  });

  const doAs = async (method: 'GET' | 'DELETE', url: string, headers: Record<string, string>) => {
    const answer = await stage.server.inject({ method, url, headers });
    assert.ok(answer.statusCode < 300, `${url}: ${answer.body}`);
    return answer;
  };
  const remove = ({ admin, member }: Team) => doAs('DELETE', `/api/members/${member.user.id}`, admin.headers);

  const addCalls = async ({ team, account }: Team): Promise<void> => {
    const { database, newId, clock } = stage.app;
    const call = { teamId: team.id, accountId: account.id, provider: 'twilio', receivedAt: clock.now() };
    const rows = Array.from({ length: CALLS }, () => beginCall(newId(), { ...call, externalId: newCallSid() }));
    await insertCalls(database, rows, clock.now());
  };

  /** Takes the first lines of a file, lets something happen, and takes the rest. Returns the number of lines. */
  const download = async (visitor: Visitor, meanwhile: () => Promise<unknown>): Promise<number> => {
    const file = await stage.app.telephony.calls.writeCsv(visitor, {});
    let text = '';
    const rest = file[Symbol.asyncIterator]();
    for (let part = 0; part < 2; part++) text += (await rest.next()).value;
    await meanwhile();
    try {
      for (let part = await rest.next(); !part.done; part = await rest.next()) text += part.value;
    } finally {
      assert.match(text, /^id,provider/);
    }
    return text.trim().split('\r\n').length;
  };

  const brokenOff = { status: 401, code: 'http.unauthorized' };

  test('completes as a CSV export if nothing happens', async () => {
    const team = await stage.newTeam();
    await addCalls(team);
    const { teamId, id: userId } = team.member.user;
    assert.equal(await download({ teamId, userId }, async () => undefined), CALLS + 1);
  });

  test('breaks off as a CSV export when they are removed, whatever credential they used', async () => {
    const team = await stage.newTeam();
    await addCalls(team);
    const { teamId, id: userId } = team.member.user;
    await assert.rejects(
      download({ teamId, userId }, () => remove(team)),
      brokenOff,
    );
  });

  test('breaks off as a CSV export when the session ends', async () => {
    const team = await stage.newTeam();
    await addCalls(team);
    const { teamId, id: userId } = team.member.user;
    const { headers, csrfToken } = await openSession(stage, team.member.user);
    const [session] = (await doAs('GET', '/api/sessions', headers)).json().sessions;
    const end = () => doAs('DELETE', `/api/sessions/${session.id}`, { ...headers, 'x-csrf-token': csrfToken });
    await assert.rejects(download({ teamId, userId, sessionId: session.id }, end), brokenOff);
  });

  test('breaks off as a CSV export when the token is revoked', async () => {
    const team = await stage.newTeam();
    await addCalls(team);
    const { teamId, id: userId } = team.member.user;
    const [token] = (await doAs('GET', '/api/tokens', team.member.headers)).json().tokens;
    const revoke = () => doAs('DELETE', `/api/tokens/${token.id}`, team.admin.headers);
    await assert.rejects(download({ teamId, userId, tokenId: token.id }, revoke), brokenOff);
  });

  test('ends as a live list when they are removed, and shows no call after that', async () => {
    const team = await stage.newTeam();
    const { cookie } = await openSession(stage, team.member.user);
    const answer = await fetch(`${origin}/calls/live`, { headers: { cookie } });
    assert.equal(answer.status, 200);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.match((await reader?.read())?.value ?? '', /^retry:/);
    await remove(team);
    await team.line.rings(newCallSid(), { From: '+15551230055' });
    let told = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) told += part.value;
    assert.doesNotMatch(told, /\+15551230055/);
  });
});
