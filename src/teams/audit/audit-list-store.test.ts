import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { AFTER_IDS, BEFORE_IDS, firstIdAt } from '../../platform/index.ts';
import { type AuditSearch, listAuditEvents } from './audit-list-store.ts';
import { AUDIT_EVENTS, type AuditEvent, auditRow } from './audit-store.ts';

/** More than are looked at for a page. */
const MANY = 5_200;

type Entry = { by: string | null; action: string; actor?: AuditEvent['actor'] };
type Filter = Pick<AuditSearch, 'who' | 'what'>;

onEachEngine('a list of audit entries', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const teams = { ours: '', busy: '', theirs: '' };
  /** An admin of the busy team. */
  let reader = '';
  let at = Date.parse('2026-11-01T00:00:00Z');

  /** Adds entries, oldest first, a millisecond apart. */
  const add = async (teamId: string, entries: readonly Entry[]): Promise<void> => {
    const unused = { target: null, detail: null, address: null, requestId: null };
    const rows = entries.map(({ by, action, actor = 'user' }) =>
      auditRow(teamId, { ...unused, id: firstIdAt(++at), at, actor, actorId: by, action }),
    );
    const outcomes = await house.app.database.insertRows(AUDIT_EVENTS, rows);
    assert.ok(outcomes.every((outcome) => outcome === 'inserted'));
  };

  before(async () => {
    for (const name of ['ours', 'theirs', 'busy'] as const) {
      const { team, admin } = await house.createTeam(name);
      teams[name] = team.id;
      reader = admin.user.id;
    }
    await add(teams.ours, [
      { by: 'ann', action: 'x' },
      { by: 'ben', action: 'x' },
      { by: 'ann', action: 'y' },
      { by: 'ann', action: 'x', actor: 'operator' },
      { by: null, action: 'y', actor: 'service' },
      { by: null, action: 'z', actor: 'command_line' },
    ]);
    await add(teams.theirs, [{ by: 'ann', action: 'x' }]);
    await add(teams.busy, [{ by: 'ann', action: 'rare' }]);
    const busy = Array.from({ length: MANY }, () => [
      { by: 'ann', action: 'often' },
      { by: 'ben', action: 'rare' },
    ]);
    await add(teams.busy, busy.flat());
    await add(teams.busy, [{ by: 'ben', action: 'once' }]);
    // From now on, nothing happens in the busy team.
    await add(teams.theirs, busy.flat());
    if (engine === 'postgresql') await house.app.database.run('vacuum analyze audit_events');
  });

  const list = async (teamId: string, filter: Filter, range: Partial<AuditSearch> = {}, limit = 100) => {
    const search = { from: BEFORE_IDS, before: AFTER_IDS, ...range, ...filter };
    const { events, end } = await listAuditEvents(house.app.database, teamId, search, limit);
    return { events, found: events.map(({ actor, actorId, action }) => `${actorId ?? actor} ${action}`), end };
  };

  const FOUND: [string, Filter, string[]][] = [
    ['a person', { who: 'ann' }, ['ann x', 'ann y', 'ann x']],
    ['another actor', { who: 'service' }, ['service y']],
    ['the operator, for whomever', { who: 'operator' }, ['ann x']],
    ['an action', { what: 'y' }, ['service y', 'ann y']],
    ['a person and an action', { who: 'ann', what: 'x' }, ['ann x', 'ann x']],
    ['another actor and an action', { who: 'operator', what: 'x' }, ['ann x']],
    ['what there is only one of each', { who: 'command_line', what: 'x' }, []],
    ['nobody', { who: 'nobody' }, []],
  ];
  for (const [words, filter, expected] of FOUND)
    test(`finds ${words}, newest first, and nothing of another team`, async () => {
      const { found, end } = await list(teams.ours, filter);
      assert.deepEqual([found, end], [expected, null]);
    });

  test('is bounded in time', async () => {
    const all = (await list(teams.ours, { who: 'ann' })).events;
    const [last, middle, first] = all.map(({ id }) => id);
    assert.deepEqual((await list(teams.ours, { who: 'ann' }, { before: last ?? '' })).events, all.slice(1));
    const range = { from: middle ?? '', before: last ?? '' };
    assert.deepEqual((await list(teams.ours, { who: 'ann' }, range)).events, [all[1]]);
    assert.deepEqual((await list(teams.ours, { who: 'ann', what: 'x' }, { before: last ?? '' })).events, [all[2]]);
    assert.deepEqual((await list(teams.ours, {}, { before: first ?? '', from: first ?? '' })).events, []);
  });

  test('goes on where it stopped if a busy person rarely does something frequent', async () => {
    const { audit } = house.app.teams;
    const caller = { teamId: teams.busy, userId: reader, role: 'admin', via: 'jwt' } as const;
    const filter = { who: 'ann', what: 'rare' };
    const pages: number[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = await audit.list(caller, { ...filter, limit: 50, cursor });
      pages.push(page.rows.length);
      cursor = page.nextCursor;
    }
    assert.deepEqual(pages, [0, 1]);
    const file = await text(await audit.writeCsv(caller, filter));
    assert.deepEqual(file.split('\r\n').length, 1 + 1 + 1, file);
  });

  test('is complete at once if only one of the two is frequent', async () => {
    for (const filter of [
      { who: 'ann', what: 'once' },
      { who: 'nobody', what: 'often' },
      { who: 'service', what: 'rare' },
    ])
      assert.deepEqual(await list(teams.busy, filter), { events: [], found: [], end: null });
  });

  test('is read through an index for each filter', async () => {
    const INDEXES: [Filter, string[]][] = [
      [{}, ['audit_events_team']],
      [{ who: 'ann' }, ['audit_events_actor_id']],
      [{ who: 'operator' }, ['audit_events_others']],
      [{ what: 'once' }, ['audit_events_action']],
      [{ what: 'rare' }, ['audit_events_action']],
      [{ who: 'ann', what: 'once' }, ['audit_events_actor_id', 'audit_events_action', 'audit_events_action']],
      [{ who: 'ann', what: 'rare' }, ['audit_events_actor_id', 'audit_events_action', 'audit_events_actor_id']],
      [{ who: 'service', what: 'rare' }, ['audit_events_others', 'audit_events_action', 'audit_events_others']],
    ];
    for (const [filter, expected] of INDEXES) {
      const { database, statements } = rememberStatements(house.app.database);
      await listAuditEvents(database, teams.busy, { from: BEFORE_IDS, before: AFTER_IDS, ...filter }, 50);
      const firsts = statements.slice(0, 3);
      const plans = await Promise.all(firsts.map((statement) => findSearches(house.app.database, statement)));
      const used = plans.map((plan) => /audit_events_(?!1|pkey)\w+/.exec(plan.join('\n'))?.[0]);
      assert.deepEqual(used, expected, JSON.stringify(plans));
    }
  });
});
