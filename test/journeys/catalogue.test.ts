import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import type { Person } from '../harness/app.ts';
import { inGroups, openCatalogueStage, readCatalogue } from '../harness/catalogue-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const records = readCatalogue();

/** Providers that identify the grant to end by something other than a token. */
const namesNoToken = ({ revoke }: FullRecord): boolean =>
  revoke?.param === '' && !/\{(?:access_token|refresh_token|token)\}/.test(JSON.stringify(revoke));

/** Whether the entry's verification can be sent for what a revocation keeps: it may need a chosen site. */
const isChecked = ({ revoke, api, sites }: FullRecord): boolean => {
  if (!revoke || !api?.verify) return false;
  const { host, path } = api.verify;
  const sent = JSON.stringify([host === undefined ? api.url : api.hosts?.[host], path, api.headers]);
  return !Object.keys(sites?.keep ?? {}).some((name) => sent.includes(`{${name}}`));
};

const listWithdrawals = ({ webhook }: FullRecord): string[] =>
  webhook?.operator ? Object.keys(webhook.withdrawn ?? {}) : [];

/** How many are played on one stage. Each status lists all of them, so playing all on one would take three times as long. */
const MOST_ON_A_STAGE = 25;

const counts = { connected: 0, sited: 0, verified: 0, refreshed: 0, withdrawn: 0, revoked: 0, confirmed: 0 };

/** Declares the tests of a few providers. */
const play = (together: readonly FullRecord[]): void => {
  const stage = useStage(() => openCatalogueStage(together));
  const simulator = prepare(async () => stage.simulator);
  const team = prepare(() => stage.createTeam('everyone'));

  const expectConnected = async (record: FullRecord, person: Person) => {
    const { status, account, scopes, missingScopes } = await stage.status(record, person);
    const issued = simulator.issued(record.id);
    assert.equal(status, 'connected');
    if (record.identity) assert.deepEqual(account, issued.account, 'the account in the status');
    assert.deepEqual([...scopes].sort(), [...issued.scopes].sort(), 'the scopes in the status');
    assert.deepEqual(missingScopes, []);
  };

  /** A token that extends itself must still work then; any other may have expired. */
  const passTime = ({ id, refresh }: FullRecord): void => {
    const { expiresAt } = simulator.issued(id);
    assert.ok(expiresAt, 'There is a refresh, so the token expires.');
    const extendsItself = refresh?.with === 'access_token' || refresh?.extended;
    stage.clock.advance(expiresAt - stage.clock.now() + (extendsItself ? -20_000 : 1_000));
  };

  const expectToken = async (record: FullRecord, admin: Person, refreshes: 0 | 1) => {
    const old = simulator.issued(record.id).accessToken;
    const { body } = await stage.ask(admin, 'POST', `${record.id}/token`);
    const { accessToken, expiresAt } = simulator.issued(record.id);
    assert.equal(body.accessToken, accessToken, 'the token that was handed out is the one issued last');
    // A token may outlive what its response says, so that an entry doesn't read it.
    const isRead = record.token.response?.expiresIn?.length !== 0;
    assert.equal(body.expiresAt, expiresAt === null || !isRead ? null : new Date(expiresAt).toISOString());
    assert.equal(accessToken === old, refreshes === 0 || record.refresh?.extended !== undefined);
    assert.equal(simulator.requestsOf(record.id, 'refresh').length, refreshes, 'refresh requests');
    counts.refreshed += refreshes;
  };

  const expectVerified = async (record: FullRecord, admin: Person) => {
    assert.equal(await stage.verify(record, admin), 200, 'the status of the verification');
    const [seen, ...others] = simulator.requestsOf(record.id, 'verify');
    assert.deepEqual(others, []);
    assert.equal(seen?.accessToken, simulator.issued(record.id).accessToken, 'the token of the verification');
    counts.verified++;
  };

  /** The consent covers more than one, so a request that needs one waits for the choice. */
  const chooseSite = async (record: FullRecord, member: Person, admin: Person) => {
    const open = await stage.status(record, member);
    assert.deepEqual([open.site, open.siteNeeded], [null, true]);
    const refused = await stage.callSite(record, admin);
    assert.deepEqual([refused.status, JSON.parse(refused.body).code], [409, 'integrations.site_missing']);
    const { body } = await stage.ask(member, 'GET', `${record.id}/sites`);
    const listed = simulator.sitesOf(record.id).map(({ id, label }) => ({ id, label }));
    assert.ok(listed.length > 1);
    assert.deepEqual(body, { provider: record.id, connection: 'default', sites: listed, site: null });
    const site = listed.at(-1);
    assert.ok(site);
    simulator.expectSite(record.id, site.id);
    const chosen = await stage.ask(member, 'PUT', `${record.id}/site`, { site: site.id });
    assert.deepEqual([chosen.body.site, chosen.body.siteNeeded], [site, false]);
    const passed = await stage.callSite(record, admin);
    assert.deepEqual([passed.status, passed.from], [200, 'provider'], passed.body);
    counts.sited++;
  };

  const withdraw = async (record: FullRecord, person: Person, event: string) => {
    const { account } = simulator.issued(record.id);
    const path = `/api/webhooks/integrations/${record.id}`;
    const { headers, body } = simulator.withdrawAndTell(record.id, event, `http://localhost:3000${path}`);
    const told = await stage.server.inject({ method: 'POST', url: path, headers, payload: body });
    assert.deepEqual([told.statusCode, told.body], [200, '']);
    const { status, reason } = await stage.status(record, person);
    assert.deepEqual({ status, reason }, { status: 'needs_reconnect', reason: 'withdrawn' });
    stage.clock.advance(1_000);
    await stage.connect(record, person, { account: account?.id ?? '' });
    await expectConnected(record, person);
    counts.withdrawn++;
  };

  const disconnect = async (record: FullRecord, person: Person) => {
    const { accessToken, refreshToken } = simulator.issued(record.id);
    const { body } = await stage.ask(person, 'POST', `${record.id}/disconnect`);
    const revocation = record.revoke ? 'revoked' : record.revoke === null ? 'unsupported' : 'unknown';
    const where = record.revoke || record.removal === undefined ? {} : { where: record.removal };
    assert.deepEqual(body, { provider: record.id, status: 'disconnected', revocation, ...where });
    const revocations = simulator.requestsOf(record.id, 'revoke');
    assert.equal(revocations.length, record.revoke ? 1 : 0, 'revocation requests');
    const [seen] = revocations;
    if (!seen || !record.revoke) return;
    counts.revoked++;
    // If the entry has a verification, it shows that the token is dead.
    const after = simulator.requests.slice(simulator.requests.indexOf(seen) + 1);
    assert.deepEqual(
      after.map(({ kind, accessToken: sent, reasons }) => [kind, sent, reasons.length]),
      isChecked(record) ? [[after[0]?.kind, accessToken, 1]] : [],
    );
    counts.confirmed += after.length;
    simulator.requests.splice(simulator.requests.indexOf(seen) + 1);
    if (namesNoToken(record)) return;
    if (record.revoke.token !== 'access' && refreshToken) assert.equal(seen.refreshToken, refreshToken);
    else assert.equal(seen.accessToken, accessToken);
  };

  const live = async (record: FullRecord): Promise<void> => {
    const { admin, member } = team;
    if (record.domains?.length === 0) await stage.putOwnClient(record, admin);
    await stage.connect(record, member);
    counts.connected++;
    await expectConnected(record, member);
    if (record.sites) await chooseSite(record, member, admin);
    await expectToken(record, admin, 0);
    await expectVerified(record, admin);
    if (record.refresh) {
      passTime(record);
      await expectToken(record, admin, 1);
      await expectConnected(record, member);
    }
    for (const event of listWithdrawals(record)) await withdraw(record, member, event);
    await disconnect(record, member);
    assert.equal((await stage.status(record, member)).status, 'disconnected');
    const refused = simulator.requests.filter(({ provider, reasons }) => provider === record.id && reasons.length > 0);
    assert.deepEqual(refused, []);
    assert.deepEqual(simulator.strays, []);
  };

  /** What the provider saw and what we logged, so that a failure of one among many explains itself. */
  const explain = (id: string, error: unknown): Error => {
    const logged = stage.lines.filter(({ level }) => level === 'warn' || level === 'error').slice(-5);
    const story = [`The simulator about ${id}:`, simulator.explain(id), 'Logged last:', inspect(logged, { depth: 5 })];
    return new Error(`${error instanceof Error ? error.message : error}\n${story.join('\n')}`, { cause: error });
  };

  for (const record of together)
    test(`${record.name} is connected, verified, refreshed and disconnected`, async () => {
      try {
        await live(record);
      } catch (error) {
        throw explain(record.id, error);
      } finally {
        simulator.strays.length = 0;
      }
    });
};

describe('every provider in the catalog that is connected through OAuth', () => {
  for (const together of inGroups(records, MOST_ON_A_STAGE))
    describe(`from ${together[0]?.id} to ${together.at(-1)?.id}`, () => play(together));

  test('none was left out', (context) => {
    const { connected, sited, verified, refreshed, withdrawn, revoked, confirmed } = counts;
    context.diagnostic(
      `${connected} entries connected, ${refreshed} refreshed, ${revoked} revoked, ${confirmed} confirmed`,
    );
    context.diagnostic(`${sited} chosen sites played`);
    context.diagnostic(`${withdrawn} messages played that access was withdrawn`);
    context.diagnostic(`${verified} verify requests played`);
    assert.deepEqual(counts, {
      connected: records.length,
      sited: records.filter(({ sites }) => sites).length,
      verified: records.length,
      refreshed: records.filter(({ refresh }) => refresh).length,
      withdrawn: records.flatMap(listWithdrawals).length,
      revoked: records.filter(({ revoke }) => revoke).length,
      confirmed: records.filter(isChecked).length,
    });
  });
});
