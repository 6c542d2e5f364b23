import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { before, test } from 'node:test';
import type { Caller } from '../../src/http/index.ts';
import { recordAudit, SERVICE } from '../../src/teams/index.ts';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { newCallSid, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** Exporting them takes many queries. */
const ROWS = 500;

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

  const addAuditEntries = async ({ team }: Team): Promise<void> => {
    const actor = { kind: 'user', userId: null, address: '192.0.2.1', requestId: null } as const;
    await stage.app.database.transaction(async (tx) => {
      for (let row = 0; row < ROWS; row++) await recordAudit(stage.app, tx, team.id, actor, { action: 'made.up' });
    });
  };

  const addCalls = async ({ team, account }: Team): Promise<void> => {
    const { database, newId, clock } = stage.app;
    const call = { teamId: team.id, accountId: account.id, provider: 'twilio', receivedAt: clock.now() };
    const rows = Array.from({ length: ROWS }, () => beginCall(newId(), { ...call, externalId: newCallSid() }));
    await insertCalls(database, rows, clock.now());
  };

  const FILES = {
    calls: { addRows: addCalls, begin: (caller: Caller) => stage.app.telephony.calls.writeCsv(caller, {}) },
    'audit entries': {
      addRows: addAuditEntries,
      begin: (caller: Caller) => stage.app.teams.audit.writeCsv(caller, { what: 'made.up' }),
    },
  };

  /** Takes the first lines of a file, lets something happen, and takes the rest. Returns the number of lines. */
  const download = async (opening: Promise<Readable>, meanwhile: () => Promise<unknown>): Promise<number> => {
    const file = await opening;
    let text = '';
    const rest = file[Symbol.asyncIterator]();
    for (let part = 0; part < 2; part++) text += (await rest.next()).value;
    await meanwhile();
    try {
      for (let part = await rest.next(); !part.done; part = await rest.next()) text += part.value;
    } finally {
      assert.match(text, /^id,/);
    }
    return text.trim().split('\r\n').length;
  };

  const brokenOff = { status: 401, code: 'http.unauthorized' };
  const callerOf = ({ user }: Team['member'], more: Partial<Caller> = {}): Caller => {
    const { id: userId, teamId, role } = user;
    return { userId, teamId, role, via: 'jwt', ...more };
  };

  for (const [words, { addRows, begin }] of Object.entries(FILES)) {
    test(`completes as a CSV export if nothing happens: ${words}`, async () => {
      const team = await stage.newTeam();
      await addRows(team);
      assert.equal(await download(begin(callerOf(team.member)), async () => undefined), ROWS + 1);
    });

    test(`breaks off as a CSV export when they are removed, whatever credential they used: ${words}`, async () => {
      const team = await stage.newTeam();
      await addRows(team);
      await assert.rejects(
        download(begin(callerOf(team.member)), () => remove(team)),
        brokenOff,
      );
    });

    test(`breaks off as a CSV export when the session ends: ${words}`, async () => {
      const team = await stage.newTeam();
      await addRows(team);
      const { headers, csrfToken } = await openSession(stage, team.member.user);
      const [session] = (await doAs('GET', '/api/sessions', headers)).json().sessions;
      const end = () => doAs('DELETE', `/api/sessions/${session.id}`, { ...headers, 'x-csrf-token': csrfToken });
      const caller = callerOf(team.member, { via: 'session', sessionId: session.id });
      await assert.rejects(download(begin(caller), end), brokenOff);
    });

    test(`breaks off as a CSV export when the token is revoked: ${words}`, async () => {
      const team = await stage.newTeam();
      await addRows(team);
      const [token] = (await doAs('GET', '/api/tokens', team.member.headers)).json().tokens;
      const revoke = () => doAs('DELETE', `/api/tokens/${token.id}`, team.admin.headers);
      const caller = callerOf(team.member, { via: 'token', tokenId: token.id });
      await assert.rejects(download(begin(caller), revoke), brokenOff);
    });
  }

  test('breaks off as a CSV export with IP addresses when an admin becomes a member', async () => {
    const { addRows, begin } = FILES['audit entries'];
    const team = await stage.newTeam();
    await addRows(team);
    const { id } = team.member.user;
    const setRole = (role: 'admin' | 'member') => stage.app.teams.members.change(team.team.id, SERVICE, id, { role });
    await setRole('admin');
    const asAdmin = callerOf(team.member, { role: 'admin' });
    assert.equal(await download(begin(asAdmin), async () => undefined), ROWS + 1);
    await assert.rejects(
      download(begin(asAdmin), () => setRole('member')),
      brokenOff,
    );
    const asOperator = callerOf(team.member, { role: 'admin', via: 'operator' });
    assert.equal(await download(begin(asOperator), async () => undefined), ROWS + 1, 'for a member');
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
