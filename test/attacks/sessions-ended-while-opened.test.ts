import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_LIFETIME_MS } from '../../src/teams/index.ts';
import { sendSignInLink } from '../../src/teams/links/mail-link.ts';
import { expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, OPERATOR, openHostedPage, putCustomer, ticketOf } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdTransaction } from '../harness/hold-database.ts';
import { makeLinkPath } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LETTER = { subject: 'Sign in', title: 'Sign in', why: 'You asked for it.', button: 'Sign in', limits: 'Once.' };

onEachEngine('what opens for a user while their sessions or links are ended', (engine) => {
  const flow = useStage(() => startConnectStage(engine));

  /** On SQLite, there is only one writer at a time, so it waits for the other's commit in any case. */
  const waitForLock = async (): Promise<void> => {
    if (engine === 'sqlite') return;
    const sql = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitUntil('someone waits', async () => (await flow.stage.app.database.all(sql)).length > 0);
  };

  /** Until someone begins the next one. What they have read before is from before the commit. */
  const waitForTransaction = (): Promise<void> =>
    new Promise((resolve) => {
      const { database } = flow.stage.app;
      const { transaction } = database;
      const begin: typeof transaction = (work) => {
        Object.assign(database, { transaction });
        resolve();
        return transaction(work);
      };
      Object.assign(database, { transaction: begin });
    });

  test('is closed with them: a hosted page', async () => {
    await putCustomer(flow.stage, 'moment');
    const { page } = await createConnectSession(flow.stage, 'moment', { user: 'leaving' });
    const held = holdTransaction(flow.stage.app.database);
    const opening = openHostedPage(flow.stage, ticketOf(page));
    await held.worked;
    const url = '/api/operator/teams/moment/sessions?user=leaving';
    const ending = flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR }).then((answer) => answer);
    await waitForLock();
    held.release();
    assert.equal((await ending).statusCode, 204);
    const { cookie } = await opening;
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
    assert.deepEqual(await flow.stage.app.database.all('select id from connect_sessions'), []);
  });

  test('is closed with them: a hosted page that opens when the end is already recorded', async () => {
    const { database } = flow.stage.app;
    await putCustomer(flow.stage, 'late');
    const { page } = await createConnectSession(flow.stage, 'late', { user: 'leaving' });
    const opened = Promise.withResolvers<{ cookie: string }>();
    const { run } = database;
    const openDuring: typeof run = async (text, values) => {
      if (!text.includes('delete from connect_sessions')) return run(text, values);
      Object.assign(database, { run });
      const held = holdTransaction(database);
      opened.resolve(openHostedPage(flow.stage, ticketOf(page)));
      await held.worked;
      const deleting = run(text, values);
      await waitForLock();
      held.release();
      return deleting;
    };
    Object.assign(database, { run: openDuring });
    const url = '/api/operator/teams/late/sessions?user=leaving';
    assert.equal((await flow.stage.server.inject({ method: 'DELETE', url, headers: OPERATOR })).statusCode, 204);
    const { cookie } = await opened.promise;
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
  });

  test('is closed with them: a sign-in link that is mailed while another one is used', async () => {
    const { app, server } = flow.stage;
    const { team, member } = await flow.stage.createTeam('mailed');
    const letters: string[] = [];
    const mailer = { send: async ({ text }: { text: string }) => void letters.push(text) };
    const context = { ...app, mailer } as unknown as Parameters<typeof sendSignInLink>[0];
    const handed = await makeLinkPath(flow.stage, member.user);
    const held = holdTransaction(app.database);
    const sending = sendSignInLink(
      context,
      { teamId: team.id, userId: member.user.id },
      { lifetimeMs: LINK_LIFETIME_MS.asked, kind: 'asked', write: () => LETTER },
    );
    await held.worked;
    const signingIn = server.inject({ method: 'POST', url: handed }).then((answer) => answer);
    await waitForLock();
    held.release();
    assert.equal((await signingIn).statusCode, 303);
    await sending;
    const mailed =
      /https?:\/\/\S+(\/sign-in\/[\w.-]+)/.exec(letters[0] ?? '')?.[1] ?? assert.fail('No link was mailed.');
    assert.equal((await server.inject({ method: 'POST', url: mailed })).statusCode, 410);
  });

  test('is refused: a connect session of someone who is being removed', async () => {
    const { database } = flow.stage.app;
    await putCustomer(flow.stage, 'removal');
    await createConnectSession(flow.stage, 'removal', { user: 'leaving' });
    const held = holdTransaction(database);
    const url = '/api/operator/teams/removal';
    const ask = (method: 'DELETE' | 'POST', path: string, payload?: object) =>
      flow.stage.server.inject({ method, url: `${url}${path}`, headers: OPERATOR, ...(payload && { payload }) });
    const removing = ask('DELETE', '/users/leaving').then((answer) => answer);
    await held.worked;
    const creating = ask('POST', '/sessions', { user: { key: 'leaving' } }).then((answer) => answer);
    await waitForTransaction();
    held.release();
    assert.equal((await removing).statusCode, 204);
    expectRefused(await creating, 409, 'operator.user_removed');
  });
});
