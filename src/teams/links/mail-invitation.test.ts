import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { TeamsContext } from '../context.ts';
import { createInviteByMail } from './mail-invitation.job.ts';

const DAY_MS = 24 * 3_600_000;

describe('invitations by email', () => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp('sqlite', { clock }));

  /** A team whose `invite` returns whether an invitation is emailed. */
  const openInviting = async () => {
    const { member } = await house.createTeam(`team-${house.app.newId()}`);
    const invite = createInviteByMail({ ...house.app, clock } as unknown as TeamsContext);
    let made = 0;
    return {
      member: member.user,
      /** Invites a new person, unless `id` says who. */
      invite: (teamId: string, email: string, id = `user-${++made}`): Promise<boolean> =>
        house.app.database.transaction((tx) => invite(tx, { ...member.user, id, teamId, email })),
    };
  };

  const inviteMany = async (count: number, invite: (turn: number) => Promise<boolean>): Promise<number> => {
    let mailed = 0;
    for (let turn = 0; turn < count; turn++) mailed += Number(await invite(turn));
    return mailed;
  };

  test('are a hundred a day for a team, and others are not affected', async () => {
    const { invite } = await openInviting();
    const ofTeam = (team: string) => (turn: number) => invite(team, `${turn}@${team}.example`);
    assert.equal(await inviteMany(103, ofTeam('busy')), 100);
    assert.equal(await inviteMany(1, ofTeam('calm')), 1);
    clock.advance(DAY_MS);
    assert.equal(await inviteMany(1, ofTeam('busy')), 1);
  });

  test('are twenty a day for an inbox, whoever sends them, and five of each team', async () => {
    const { invite } = await openInviting();
    const toInbox = (turn: number) => invite(`team-${Math.floor(turn / 7)}`, 'crowded@example.com');
    assert.equal(await inviteMany(7, toInbox), 5);
    assert.equal(await inviteMany(7 * 7, (turn) => toInbox(turn + 7)), 15);
    assert.equal(await invite('team-0', 'calm@example.com'), true);
    clock.advance(DAY_MS);
    assert.equal(await invite('team-0', 'crowded@example.com'), true);
  });

  test('wait one at a time for the same person', async () => {
    const { member, invite } = await openInviting();
    for (let turn = 0; turn < 3; turn++) await invite(member.teamId, 'ada@example.com', member.id);
    const waiting = await house.app.database.all(
      `select id from jobs where name = 'mail-invitation' and payload like $1`,
      [`%${member.id}%`],
    );
    assert.equal(waiting.length, 1);
  });
});
