import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Secret } from '../../src/platform/index.ts';
import { openUnsubscribe, unsubscribeUrlOf } from '../../src/reports/ledger/unsubscribe.ts';
import { parseKeyRing } from '../../src/vault/index.ts';
import { extendKeyRing, type KeyRing } from '../../src/vault/key-ring.ts';
import { rotateKeys } from '../../src/vault/rotate-keys.ts';
import { createVault } from '../../src/vault/vault.ts';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('an unsubscribe link in an email already sent', (engine) => {
  const house = useStage(() => createTestApp(engine));

  /** Another process, started with this ring. */
  const vaultWith = (ring: KeyRing) =>
    createVault({ ...house.app, rings: { current: () => ring, reload: () => ring } });
  const sealedOf = async (recipient: { teamId: string; recipientHash: string }): Promise<string> =>
    (await unsubscribeUrlOf(house.app.vault, house.config.url, recipient)).split('/').at(-1) ?? '';
  const isInvalid = (error: unknown): boolean => error instanceof Refusal && error.code === 'reports.link_invalid';

  test('in the earlier format works while its key is there', async () => {
    const { team } = await house.createTeam('earlier');
    const content = Buffer.from(JSON.stringify([team.id, 'recipient-1']));
    const sealed = house.app.vault.sealPassing('report unsubscribe', [], content);
    assert.deepEqual(await openUnsubscribe(house.app.vault, sealed), { teamId: team.id, recipientHash: 'recipient-1' });
  });

  test('is worthless if altered or made up', async () => {
    const [one, other] = [await house.createTeam('one'), await house.createTeam('other')];
    const [ofOne, ofOther] = await Promise.all(
      [one, other].map(({ team }) => sealedOf({ teamId: team.id, recipientHash: 'recipient-1' })),
    );
    const [, keyOfOther = ''] = ofOther?.split('.') ?? [];
    const [version, , ...rest] = ofOne?.split('.') ?? [];
    const forged = [
      [version, keyOfOther, ...rest].join('.'),
      `${ofOne?.slice(0, -4)}AAAA`,
      `v1.${one.team.id}.x.x`,
      'v1.k1.x.x',
      'nonsense',
      '',
    ];
    for (const sealed of forged) await assert.rejects(async () => openUnsubscribe(house.app.vault, sealed), isInvalid);
  });

  test('reveals neither the team nor the recipient', async () => {
    const { team } = await house.createTeam('quiet');
    const sealed = await sealedOf({ teamId: team.id, recipientHash: 'recipient-1' });
    assert.ok(!sealed.includes(team.id));
    assert.ok(!Buffer.from(sealed, 'base64url').includes('recipient-1'));
  });

  // Last, because this process doesn't have the new key, and can make no more teams.
  test('works after the ring was rotated and its old key removed', async () => {
    const { team } = await house.createTeam('acme');
    const recipient = { teamId: team.id, recipientHash: 'recipient-1' };
    const sealed = await sealedOf(recipient);
    const extended = extendKeyRing(house.config.keys?.reveal());
    await rotateKeys({ database: house.app.database, ring: parseKeyRing(new Secret(extended)) }, () => undefined);
    const [fresh = ''] = extended.split(',');
    const rotated = vaultWith(parseKeyRing(new Secret(fresh)));
    assert.deepEqual(await openUnsubscribe(rotated, sealed), recipient);
  });
});
