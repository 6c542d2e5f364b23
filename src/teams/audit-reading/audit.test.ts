import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { asCustomer, putCustomer } from '../../../test/harness/customers.ts';
import { onOneEngine } from '../../../test/harness/databases.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';

type Headers = Record<string, string>;
type Entry = { id: string; at: string; action: string; actor: { kind: string; id: string | null; key: string | null } };

onOneEngine('the audit log', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const team = prepare(() => house.createTeam('acme'));

  const get = async (query: Record<string, string>, headers: Headers) => {
    const answer = await house.server.inject({ url: `/api/audit?${new URLSearchParams(query)}`, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer;
  };
  const read = async (query: Record<string, string>, headers: Headers = team.member.headers) =>
    (await get(query, headers)).json() as { events: Entry[]; nextCursor: string | null };
  const ask = async (method: 'PATCH' | 'POST', url: string, payload: object, headers: Headers) => {
    clock.advance(60_000);
    const answer = await house.server.inject({ method, url, payload, headers });
    assert.ok(answer.statusCode < 300, answer.body);
  };
  const rename = (name: string, headers: Headers = team.admin.headers) => ask('PATCH', '/api/team', { name }, headers);

  test('is filtered by who, what, and when, and read to its end page by page', async () => {
    const since = new Date(clock.now() + 1).toISOString();
    for (const name of ['a', 'b']) {
      await rename(name);
      await ask('POST', '/api/tokens', { name }, team.member.headers);
    }
    const until = new Date(clock.now()).toISOString();
    await rename('c');
    const told = async (query: Record<string, string>) =>
      (await read(query)).events.map(({ action, actor }) => `${actor.id === team.admin.user.id} ${action}`);
    assert.deepEqual(await told({ who: team.member.user.id }), ['false token.create', 'false token.create']);
    assert.deepEqual(await told({ what: 'team.change' }), Array(3).fill('true team.change'));
    assert.deepEqual(await told({ who: team.admin.user.id, what: 'token.create' }), []);
    assert.deepEqual(await told({ since, until }), ['true team.change', 'false token.create', 'true team.change']);
    assert.deepEqual(await told({ since, until, what: 'team.change' }), Array(2).fill('true team.change'));
    assert.deepEqual(await told({ since, who: 'command_line' }), []);
    assert.equal((await told({ until: since, who: 'command_line' })).length, 2, 'the first tokens');
    const all = await read({ what: 'team.change' });
    const paged: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read({ what: 'team.change', limit: '1', ...(cursor && { cursor }) });
      assert.equal(page.events.length, 1);
      paged.push(...page.events);
      cursor = page.nextCursor;
    }
    assert.deepEqual([paged, all.nextCursor], [all.events, null]);
  });

  test('tells what the operator did for a user by both', async () => {
    await putCustomer(house, 'embedded');
    await rename('by itself', asCustomer('embedded').headers);
    await rename('for Ann', asCustomer('embedded', 'ann').headers);
    const { headers } = asCustomer('embedded');
    const { events } = await read({ who: 'operator', what: 'team.change' }, headers);
    assert.deepEqual(
      events.map(({ actor }) => [actor.kind, actor.key]),
      [
        ['operator', 'ann'],
        ['operator', null],
      ],
    );
    const [forAnn] = events;
    assert.deepEqual((await read({ who: forAnn?.actor.id ?? '' }, headers)).events, [forAnn]);
  });

  test('is a CSV file with the fields of the API, of all entries or the first few', async () => {
    const csv = { ...team.admin.headers, accept: 'text/csv' };
    const answer = await get({ what: 'token.create' }, csv);
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="audit-log.csv"');
    const [head, ...lines] = answer.body.trimEnd().split('\r\n');
    assert.equal(head, 'id,at,actorKind,actorId,actorKey,action,target,targetKey,detail,address,requestId');
    const { events } = await read({ what: 'token.create' });
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 6)),
      events.map(({ id, at, actor, action }) => [id, at, actor.kind, actor.id ?? '', '', action]),
    );
    assert.match(lines[0] ?? '', /,"\{""name"":""b"",""days"":\d+\}",127\.0\.0\.1,[\w-]+$/);
    const first = await get({ what: 'token.create', limit: '1' }, csv);
    assert.deepEqual(first.body.trimEnd().split('\r\n'), [head, lines[0]]);
    const { nextCursor } = await read({ what: 'token.create', limit: '1' });
    const rest = await get({ what: 'token.create', cursor: nextCursor ?? '' }, csv);
    assert.deepEqual(rest.body.trimEnd().split('\r\n'), [head, ...lines.slice(1)]);
  });
});
