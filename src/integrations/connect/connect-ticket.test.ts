import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import { type Database, openDatabase, Refusal, Secret } from '../../platform/index.ts';
import { extendKeyRing, parseKeyRing, type Vault } from '../../vault/index.ts';
import { createPassingSeal } from '../../vault/passing-seal.ts';
import { type ConnectOptions, STANDARD_OPTIONS, sealState } from './connect-state.ts';
import { makeTicket, redeemTicket } from './connect-ticket.ts';

const LIFETIME_MS = 600_000;
const ring = parseKeyRing(new Secret(extendKeyRing(undefined)));
const vault = createPassingSeal({ current: () => ring, reload: () => ring }) as Vault;
const holder = { userId: 'user-1', teamId: 'team-1' };
const beginningAt = (begunAt: number) => ({ begun: { begunAt, sessionId: null, tokenId: null } });
const wish: ConnectOptions = {
  ...{ scopes: ['repo', 'read:user'], returnTo: '/done', params: { shop: 'mine' } },
  ...{ connection: 'work', replace: false },
};
const nothing: ConnectOptions = STANDARD_OPTIONS;

const isInvalid = (error: unknown) => error instanceof Refusal && error.code === 'integrations.ticket_invalid';

onEachEngine('a ticket', (engine) => {
  let store: TestStore;
  let database: Database;

  before(async () => {
    store = await createTestStore(engine);
    database = openDatabase(store.settings, () => undefined);
    await database.run(
      `insert into teams (id, name, time_zone, payload_days, created_at) values ('team-1', 'Team', 'UTC', 30, 0)`,
    );
    await database.run(
      `insert into users (id, team_id, email, role, created_at) values ('user-1', 'team-1', 'user@team.example', 'member', 0)`,
    );
  });
  after(async () => {
    await database.close();
    await store.remove();
  });

  const begin = () => {
    const clock = createTestClock();
    const dependencies = { vault, clock, database };
    return {
      clock,
      make: (wished = wish, provider = 'github') =>
        makeTicket(dependencies, provider, { ...holder, ...beginningAt(clock.now()) }, wished),
      redeem: (ticket: string, provider = 'github') => redeemTicket(dependencies, provider, ticket),
    };
  };

  test('returns the options and who made it, once', async () => {
    const { clock, make, redeem } = begin();
    for (const wished of [wish, nothing]) {
      const ticket = make(wished);
      assert.match(ticket, /^[A-Za-z0-9._-]+$/);
      const expected = { ...holder, ...wished, ...beginningAt(clock.now()), expiresAt: clock.now() + LIFETIME_MS };
      assert.deepEqual(await redeem(ticket), expected);
      await assert.rejects(redeem(ticket), isInvalid);
    }
  });

  test('works once, however many redeem it at the same time', async () => {
    const { make, redeem } = begin();
    const ticket = make();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => redeem(ticket)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('is not used up by another ticket for the same request', async () => {
    const { make, redeem } = begin();
    const [first, second] = [make(), make()];
    await redeem(first);
    assert.ok(await redeem(second));
  });

  test('stays used after it expires, even for a clock that is behind', async () => {
    const { clock, make, redeem } = begin();
    const ticket = make();
    await redeem(ticket);
    clock.advance(-LIFETIME_MS);
    await assert.rejects(redeem(ticket), isInvalid);
    const row = await database.get<{ least: number }>('select min(expires_at) as least from used_tickets', []);
    assert.ok(Number(row?.least) > createTestClock().now() + LIFETIME_MS);
  });

  test("expires after ten minutes, and a late attempt doesn't use it up", async () => {
    const { clock, make, redeem } = begin();
    const ticket = make();
    clock.advance(LIFETIME_MS);
    await assert.rejects(redeem(ticket), isInvalid);
    clock.advance(-1);
    assert.ok(await redeem(ticket));
  });

  test("is for one provider, and using it elsewhere doesn't spend it", async () => {
    const { make, redeem } = begin();
    const ticket = make();
    await assert.rejects(redeem(ticket, 'gitlab'), isInvalid);
    assert.ok(await redeem(ticket));
  });

  test('is refused as invalid if it was changed, made up or meant for something else', async () => {
    const { clock, make, redeem } = begin();
    const ticket = make();
    const passing = { nonce: 'n', verifier: 'v', expiresAt: clock.now() + 1_000, binding: null };
    const state = { ...wish, ...holder, ...beginningAt(clock.now()), ...passing };
    const texts = [
      ...['', 'v1', 'v1.k1..', 'v1.k1.AAAA.AAAA', 'x'.repeat(10_000), ticket.slice(0, -4), `${ticket}AAAA`],
      sealState(vault, 'github', state),
    ];
    for (const text of texts) await assert.rejects(redeem(text), isInvalid, text.slice(0, 40));
  });

  test('can always be redeemed once made, even with options as long as a state can carry', async () => {
    const { make, redeem } = begin();
    const scopes = Array.from({ length: 90 }, (_, n) => `https://www.googleapis.com/auth/service.${n}.readonly`);
    const passing = { nonce: 'n', verifier: 'v', expiresAt: 0, binding: null };
    const state = { ...nothing, scopes, ...holder, ...beginningAt(0), ...passing };
    assert.ok(sealState(vault, 'github', state));
    assert.deepEqual((await redeem(make({ ...nothing, scopes }))).scopes, scopes);
  });
});
