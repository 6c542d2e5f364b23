import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';
import { COMMAND_LINE, getUser, holderOf, makeSignInLink } from '../../src/teams/index.ts';
import { insertUser } from '../../src/teams/records/user-store.ts';
import { createTestApp } from '../harness/app.ts';
import { cookieFrom, readCsrfToken } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;

// On SQLite, there is only one writer at a time, so an address can't change within the transaction of a switch.
describe('a session that switches to a team while the address of its user changes', () => {
  const stage = useStage(() => createTestApp('postgresql'));

  /** A person who is in two teams and signed in to the first. */
  const prepare = async (email: string) => {
    const { app, server } = stage;
    const [first, second] = [await stage.createTeam(`first-${email}`), await stage.createTeam(`second-${email}`)];
    const insert = async ({ id: teamId }: { id: string }) => {
      const id = app.newId();
      const more = { name: null, role: 'member', source: 'patchbay', createdAt: 1, signedInAt: null } as const;
      await insertUser(app.database, { ...more, id, teamId, email }, null);
      return (await getUser(app.database, teamId, id)) ?? assert.fail('The user is not there.');
    };
    const [here, there] = [await insert(first.team), await insert(second.team)];
    const link = await makeSignInLink(app, app.database, holderOf(here), MINUTE_MS, 'asked');
    const signedIn = await server.inject({ method: 'POST', url: new URL(link.address).pathname });
    const cookie = cookieFrom(signedIn.headers['set-cookie'], 'patchbay_session');
    const page = await server.inject({ url: '/settings/sessions', headers: { cookie } });
    const form = new URLSearchParams({ team: there.teamId, _csrf: readCsrfToken(page.body) });
    const switchThere = () =>
      server.inject({
        method: 'POST',
        url: '/teams/switch',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: form.toString(),
      });
    return { here, there, switchThere };
  };

  /** Runs `work` once, between a switch's first look at the person's teams and its next step. */
  const duringNextSwitch = (work: () => Promise<unknown>): void => {
    const { database } = stage.app;
    const { transaction } = database;
    const apart = AsyncLocalStorage.snapshot();
    let isFirst = true;
    const watched: typeof transaction = (inside) =>
      transaction((tx) => {
        const all: typeof tx.all = async (sql, values) => {
          const rows = await tx.all<never>(sql, values);
          if (isFirst && sql.includes('"teamName"')) {
            isFirst = false;
            Object.assign(database, { transaction });
            await apart(work);
          }
          return rows;
        };
        return inside(Object.assign(Object.create(tx), { all }));
      });
    Object.assign(database, { transaction: watched });
  };

  for (const whose of ['here', 'there'] as const)
    test(`stays where it is if the address changes ${whose}`, async () => {
      const person = await prepare(`${whose}@example.com`);
      const { database, teams } = stage.app;
      duringNextSwitch(() => teams.members.changeEmail(person[whose], COMMAND_LINE, `${whose}-new@example.com`));
      const answer = await person.switchThere();
      assert.equal(answer.statusCode, 404, answer.body);
      const sql = 'select user_id as "userId", proves_address as proves from sessions where user_id in ($1, $2)';
      const proves = whose === 'here' ? 0 : 1;
      assert.deepEqual(await database.all(sql, [person.here.id, person.there.id]), [
        { userId: person.here.id, proves },
      ]);
    });

  test('switches otherwise', async () => {
    const { there, switchThere } = await prepare('unchanged@example.com');
    assert.equal((await switchThere()).statusCode, 303);
    const sql = 'select user_id as "userId" from sessions where user_id = $1';
    assert.equal((await stage.app.database.all(sql, [there.id])).length, 1);
  });
});
