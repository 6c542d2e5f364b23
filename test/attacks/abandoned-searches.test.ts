import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { before, beforeEach, test } from 'node:test';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { onEachEngine } from '../harness/databases.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Each is of one of two numbers. Finding none of both takes several pieces. */
const CALLS = 3_000;
const [CALLER, CALLED] = ['+15551230009', '+15551230010'];
const SEARCH = `/api/calls?${new URLSearchParams({ from: CALLER, to: CALLED })}`;

onEachEngine('a search that nobody waits for anymore', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const team = prepare(() => stage.newTeam());
  const open = new Set<Socket>();
  let port = 0;
  let pieces = 0;
  let gate: Promise<void> = Promise.resolve();

  before(async () => {
    const { database, newId, clock, vault } = stage.app;
    const hashOf = (number: string) => vault.hash(team.team.id, `number ${number}`);
    const ends = [{ fromHash: await hashOf(CALLER) }, { toHash: await hashOf(CALLED) }];
    const call = { teamId: team.team.id, accountId: team.account.id, provider: 'twilio', receivedAt: clock.now() };
    const rows = Array.from({ length: CALLS }, (_, number) => ({
      ...beginCall(newId(), { ...call, externalId: newCallSid() }),
      ...ends[number % 2],
    }));
    await insertCalls(database, rows, clock.now());
    port = await listenOnLoopback(stage.server);
    stage.server.server.on('connection', (socket) => open.add(socket.on('close', () => open.delete(socket))));
    const { all } = database;
    Object.assign(database, {
      all: async (...asked: Parameters<typeof all>) => {
        if (/from calls c .* offset/.test(asked[0])) {
          pieces++;
          await gate;
        }
        return all(...asked);
      },
    });
  });
  beforeEach(() => {
    pieces = 0;
  });

  const search = async (): Promise<number> => {
    const before = pieces;
    const { statusCode } = await stage.server.inject({ url: SEARCH, headers: team.member.headers });
    assert.equal(statusCode, 200);
    return pieces - before;
  };

  for (const accept of ['application/json', 'text/csv'])
    test(`ends before its next piece: ${accept}`, async () => {
      const whole = await search();
      assert.ok(whole > 3, `${whole} pieces`);
      pieces = 0;
      const { promise, resolve: goOn } = Promise.withResolvers<void>();
      gate = promise;
      const caller = connect(port, '127.0.0.1').on('error', () => undefined);
      const headers = { ...team.member.headers, Host: 'x', Accept: accept };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      caller.write(`GET ${SEARCH} HTTP/1.1\r\n${lines.join('')}\r\n`);
      await waitUntil('it is at its first piece', () => pieces === 1);
      caller.destroy();
      await waitUntil('the server knows that the caller left', () => open.size === 0);
      goOn();
      // If it went on, it would do so alongside these.
      for (let count = 0; count < 3; count++) await search();
      assert.equal(pieces, 1 + 3 * whole);
    });
});
