import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Person } from '../../src/dashboard/person.ts';
import type { RequestsView } from '../../src/dashboard/requests/load-requests.ts';
import { requestPage } from '../../src/dashboard/requests/request-page.ts';
import { requestsPage } from '../../src/dashboard/requests/requests-page.ts';
import type { ListedProvider, UsedCredential } from '../../src/integrations/index.ts';
import { FIRST_SETTINGS } from '../../src/teams/records/team.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

const NOW = Date.parse('2026-11-13T15:42:00Z');

const PERSON: Person = {
  ...{ userId: 'u', who: 'ann@example.com', role: 'admin', csrfToken: 'token', otherTeams: [] },
  team: { ...FIRST_SETTINGS, id: 't', key: null, name: 'Acme Dental', createdAt: 0 },
  region: { timeZone: 'UTC', hourCycle: 'h12', callingCode: '1', now: NOW },
};

const providerOf = (id: string, name: string, api: ListedProvider['api']) =>
  [id, { id, name, api } as ListedProvider] as const;

const PROVIDERS = new Map([
  providerOf('github', 'GitHub', { url: 'https://api.github.com', hosts: {} }),
  providerOf('apart', 'Apart', null),
]);

const BY = { kind: 'proxy', id: 't1', name: 'nightly sync', via: 'token', userId: 'u' } as const;

const requestOf = (changes: Partial<UsedCredential> = {}): UsedCredential => ({
  ...{ id: '01a1df14-c148-70fd-8b74-d217ee137a55', at: '2026-11-13T15:40:12.000Z', provider: 'github' },
  ...{ connection: 'default', account: { id: '583231', label: 'front-desk' }, host: null, method: 'GET' },
  ...{ path: '/user/repos', status: 200, from: 'provider', failed: false, ms: 85, requestBytes: 0 },
  ...{ responseBytes: 48_213, retried: false, by: BY, client: null, traceId: null },
  ...changes,
});

/** What doesn't break by itself, and what isn't markup though it looks like it. */
const LONG_PATH = `/<b>${'W'.repeat(7_990)}`;
const longest = requestOf({
  ...{ method: 'DELETE', path: LONG_PATH, host: 'h'.repeat(60), status: 999, failed: true, retried: true },
  ...{ connection: 'w'.repeat(40), account: { id: 'x'.repeat(200), label: 'M'.repeat(200) }, ms: 3_599_999 },
  by: { ...BY, name: 'W'.repeat(200), userId: 'long' },
  ...{ client: 'C'.repeat(200), traceId: 'a'.repeat(32) },
});
const handedOut = requestOf({
  ...{ method: null, path: null, from: 'patchbay', ms: null, requestBytes: null, responseBytes: null },
  by: { ...BY, kind: 'hand_out', id: null, name: null, via: 'operator' },
});
const PEOPLE = {
  names: new Map([
    ['u', 'ann@example.com'],
    ['long', 'm'.repeat(200)],
  ]),
  operatorId: undefined,
};

const viewOf = (changes: Partial<RequestsView>): RequestsView => ({
  ...{ query: { provider: 'github', connection: 'default' }, requests: [], nextCursor: null, chosen: null },
  ...{ people: PEOPLE, providers: PROVIDERS, url: 'https://patchbay.example', ...changes },
});

describe('the pages of requests', () => {
  let stills: StillPages;
  before(async () => {
    stills = await openStillPages();
  });
  after(() => stills.close());

  const listOf = (changes: Partial<RequestsView>) => ({
    ...{ person: PERSON, path: '/requests', page: requestsPage(PERSON, viewOf(changes)) },
  });
  const pageOf = (request: UsedCredential) => ({
    ...{ person: PERSON, path: '/requests/1' },
    page: requestPage(PERSON, { request, people: PEOPLE, providers: PROVIDERS }),
  });
  const failed = requestOf({ path: '/orgs/acme/members', method: 'PUT', status: 403, failed: true });
  const left = requestOf({ status: null, from: 'patchbay' });

  for (const [state, still] of Object.entries({
    'a list': listOf({ requests: [requestOf(), failed, left, handedOut, longest], nextCursor: 'next' }),
    "a token's list": listOf({ query: { by: 't1' }, requests: [requestOf(), longest], chosen: longest.by.name }),
    'an empty list of a named connection': listOf({ query: { provider: 'github', connection: 'w'.repeat(40) } }),
    'a list that finds nothing': listOf({ query: { provider: 'github', result: 'failed', method: 'PUT' } }),
    'a request with the longest values': pageOf(longest),
    'a hand-out': pageOf(handedOut),
  }))
    test(`pass axe and never scroll sideways: ${state}`, async () => {
      assert.deepEqual(await stills.findFlaws(still), []);
    });

  test('show what failed, and cut what is long', async () => {
    const text = await stills.read(listOf({ requests: [requestOf(), failed, left, handedOut, longest] }));
    assert.match(text, /GET \/user\/repos\s+Today, 3:40 PM\s+200\s+85 ms\s+nightly sync\s+ann@example\.com/);
    assert.match(text, /PUT \/orgs\/acme\/members\s+Today, 3:40 PM\s+403/);
    assert.match(text, /No response/);
    assert.match(text, /Access token handed out[\s\S]*Operator, for ann@example\.com/);
    assert.match(text, /DELETE \/<b>W{76}…\s/);
    assert.match(text, /3600\.0 s/);
    assert.ok(text.length < 2_000, 'No row shows a whole path.');
  });

  test('teach how to make a request, or say that none can be made', async () => {
    const text = await stills.read(listOf({ query: { provider: 'github', connection: 'work' } }));
    assert.match(text, /Nothing requested in the last seven days/);
    assert.match(text, /appends the path to https:\/\/api\.github\.com/);
    assert.ok(
      text.includes(
        `curl -H "Authorization: Bearer $TOKEN" 'https://patchbay.example/api/integrations/github/proxy/<path>?connection=work'`,
      ),
    );
    assert.ok(text.includes("await patchbay.fetch('github', '/<path>', { connection: 'work' })"));
    const without = await stills.read(listOf({ query: { provider: 'apart' } }));
    assert.match(without, /Patchbay doesn't know the API of Apart/);
    assert.doesNotMatch(without, /curl/);
  });

  test('say that a search has not ended yet', async () => {
    const text = await stills.read(listOf({ query: { provider: 'github', method: 'PUT' }, nextCursor: 'next' }));
    assert.match(text, /Nothing found so far\. Older requests haven't been searched yet\./);
    assert.match(text, /Older$/);
  });

  test('say whose response it was', async () => {
    const verdictOf = async (request: UsedCredential): Promise<string> =>
      (await stills.read(pageOf(request))).replaceAll(/\s+/g, ' ');
    assert.match(await verdictOf(requestOf()), /200 The provider responded\./);
    assert.match(await verdictOf(failed), /403 The provider responded with an error\./);
    assert.match(
      await verdictOf(requestOf({ failed: true })),
      /200, incomplete The provider's response was incomplete\./,
    );
    assert.match(
      await verdictOf(requestOf({ status: 502, failed: true, from: 'patchbay' })),
      /502 Patchbay answered\./,
    );
    assert.match(await verdictOf(left), /No response The caller left/);
    assert.match(await verdictOf(handedOut), /Handed out An access token was handed out/);
    assert.match(await verdictOf(longest), /Sent twice The second time with a renewed credential/);
  });
});
