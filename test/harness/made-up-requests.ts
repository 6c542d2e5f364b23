import type { Person } from '../../src/dashboard/person.ts';
import type { RequestsView } from '../../src/dashboard/requests/load-requests.ts';
import type { ListedProvider, UsedCredential } from '../../src/integrations/index.ts';
import { FIRST_SETTINGS } from '../../src/teams/records/team.ts';

const NOW = Date.parse('2026-11-13T15:42:00Z');

export const PERSON: Person = {
  ...{ userId: 'u', who: 'ann@example.com', role: 'admin', csrfToken: 'token', otherTeams: [] },
  team: { ...FIRST_SETTINGS, id: 't', key: null, name: 'Acme Dental', createdAt: 0 },
  region: { timeZone: 'UTC', hourCycle: 'h12', callingCode: '1', now: NOW },
};

const providerOf = (id: string, name: string, api: ListedProvider['api']) =>
  [id, { id, name, api } as ListedProvider] as const;

export const PROVIDERS = new Map([
  providerOf('github', 'GitHub', { url: 'https://api.github.com', hosts: {} }),
  providerOf('apart', 'Apart', null),
]);

const BY = { kind: 'proxy', id: 't1', name: 'nightly sync', via: 'token', userId: 'u' } as const;

export const requestOf = (changes: Partial<UsedCredential> = {}): UsedCredential => ({
  ...{ id: '01a1df14-c148-70fd-8b74-d217ee137a55', at: '2026-11-13T15:40:12.000Z', provider: 'github' },
  ...{ connection: 'default', account: { id: '583231', label: 'front-desk' }, host: null, method: 'GET' },
  ...{ path: '/user/repos', status: 200, from: 'provider', failed: false, ms: 85, requestBytes: 0 },
  ...{ responseBytes: 48_213, retried: false, by: BY, client: null, traceId: null },
  ...changes,
});

/** What doesn't break by itself, and what isn't markup though it looks like it. */
const LONG_PATH = `/<b>${'W'.repeat(7_990)}`;
export const longest = requestOf({
  ...{ method: 'DELETE', path: LONG_PATH, host: 'h'.repeat(60), status: 999, failed: true, retried: true },
  ...{ connection: 'w'.repeat(40), account: { id: 'x'.repeat(200), label: 'M'.repeat(200) }, ms: 3_599_999 },
  by: { ...BY, name: 'W'.repeat(200), userId: 'long' },
  ...{ client: 'C'.repeat(200), traceId: 'a'.repeat(32) },
});
export const handedOut = requestOf({
  ...{ method: null, path: null, from: 'patchbay', ms: null, requestBytes: null, responseBytes: null },
  by: { ...BY, kind: 'hand_out', id: null, name: null, via: 'operator' },
});
export const PEOPLE = {
  names: new Map([
    ['u', 'ann@example.com'],
    ['long', 'm'.repeat(200)],
  ]),
  operatorId: undefined,
};

export const viewOf = (changes: Partial<RequestsView>): RequestsView => ({
  ...{ query: { provider: 'github', connection: 'default' }, requests: [], nextCursor: null, chosen: null },
  ...{ people: PEOPLE, providers: PROVIDERS, url: 'https://patchbay.example', ...changes },
});

export const failed = requestOf({ path: '/orgs/acme/members', method: 'PUT', status: 403, failed: true });
export const left = requestOf({ status: null, from: 'patchbay' });
