import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Person } from '../../src/dashboard/person.ts';
import type { EnteredAuditFilter } from '../../src/dashboard/settings/audit/audit-filter.ts';
import { auditPage } from '../../src/dashboard/settings/audit/audit-page.ts';
import { auditFilterForm } from '../../src/dashboard/settings/audit/filter-form.ts';
import { FIRST_SETTINGS } from '../../src/teams/records/team.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

const NOW = Date.parse('2026-11-16T08:00:00Z');
const LONGEST = 'W'.repeat(200);
const ANN = '01900000-0000-7000-8000-000000000001';

const person: Person = {
  ...{ userId: 'u', who: 'admin@example.com', role: 'admin', csrfToken: 'token', otherTeams: [] },
  team: { ...FIRST_SETTINGS, id: 't', key: null, name: LONGEST, createdAt: 0 },
  region: { timeZone: 'Europe/Berlin', hourCycle: 'h12', callingCode: '49', now: NOW },
};

const EVENTS = ['user', 'operator', 'service'].map((actor, index) => ({
  ...{ id: `${index}`, at: NOW, actor: actor as 'user', actorId: actor === 'service' ? null : ANN },
  ...{ action: 'member.reclaim', target: LONGEST, detail: JSON.stringify({ name: LONGEST }) },
  ...{ address: '2001:0db8:85a3:0000:0000:8a2e:0370:7334', requestId: null },
}));

const stillOf = (entered: EnteredAuditFilter, events: typeof EVENTS | null, nextCursor: string | null = null) => {
  const people = { names: new Map([[ANN, LONGEST]]), operatorId: undefined };
  const members = [{ value: 'ben', label: `${LONGEST}@example.com` }];
  const form = auditFilterForm({ entered, members, hasMore: true, chosenName: LONGEST });
  const page = auditPage(person, { entered, listed: events && { rows: events, nextCursor }, people, form });
  return { person, path: '/settings/audit', page };
};

const FILTER = { who: ANN, what: 'made.up', since: '2026-11-01', until: '2026-11-16' };

describe('the page of the audit log', () => {
  let stills: StillPages;

  before(async () => {
    stills = await openStillPages();
  });
  after(() => stills.close());

  for (const [words, still] of Object.entries({
    'with entries': stillOf({}, EVENTS, 'next'),
    'with a filter that finds some': stillOf({ ...FILTER, cursor: 'this' }, EVENTS, 'next'),
    'with a filter that finds nothing': stillOf(FILTER, []),
    'with a filter that was refused': stillOf(FILTER, null),
  }))
    test(`passes axe in light and dark mode and fits 320 px ${words}`, async () => {
      assert.deepEqual(await stills.findFlaws(still), []);
    });

  test('says what to do if nothing was found', async () => {
    assert.match(await stills.read(stillOf({}, [])), /No activity yet\./);
    assert.match(await stills.read(stillOf({ cursor: 'this' }, [])), /No older entries\.\s+Newest/);
    assert.match(await stills.read(stillOf(FILTER, [])), /Clear[\s\S]*No entries match\. Show all entries/);
    assert.match(await stills.read(stillOf({ ...FILTER, cursor: 'this' }, [])), /No older entries match\./);
    assert.match(await stills.read(stillOf(FILTER, [], 'next')), /Nothing found so far[\s\S]*Older/);
  });
});
