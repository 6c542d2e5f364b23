import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agentsPage } from '../../src/dashboard/agents/agents-page.ts';
import type { AgentsView } from '../../src/dashboard/agents/load-agents.ts';
import type { ApprovalView } from '../../src/integrations/index.ts';
import type { AccessToken } from '../../src/teams/index.ts';
import { left, longest, PERSON, PROVIDERS, requestOf } from '../harness/made-up-requests.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

const NOW = PERSON.region.now;
const DAY_MS = 86_400_000;
const LONG = 'W'.repeat(200);

const LONGEST_ALLOWED = {
  ...{ provider: 'github', connection: 'w'.repeat(40), account: { id: 'x', label: LONG, authority: null } },
  ...{ host: 'h'.repeat(40), methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], paths: [`/${LONG}`, `/${LONG}`] },
};

const agentOf = (changes: Partial<AccessToken> = {}): AccessToken => ({
  ...{ id: 'a', name: 'Claude on my laptop', userId: 'u', userEmail: 'ann@example.com', userName: null, userKey: null },
  ...{ createdAt: NOW, expiresAt: NOW + 30 * DAY_MS, usedAt: null, client: 'claude.ai' },
  isContained: false,
  restriction: { can: ['calls', 'reports'], allow: [], approvalMinutes: null, returnTo: null },
  ...changes,
});

const longestAgent = agentOf({
  ...{ name: LONG, userId: 'other', userEmail: `${LONG}@example.com`, client: `${'w'.repeat(60)}.example` },
  restriction: {
    can: ['status', 'connect', 'calls', 'recordings', 'reports', 'events'],
    allow: [LONGEST_ALLOWED] as never,
    ...{ approvalMinutes: 10, returnTo: null },
  },
});

const approvalOf = (changes: Partial<ApprovalView> = {}): ApprovalView => ({
  ...{ id: 'p', state: 'waiting', token: { id: 'a', name: 'Claude on my laptop' }, provider: 'github' },
  ...{ connection: 'default', account: { id: 'x', label: 'front-desk' }, host: null, method: 'POST', query: '' },
  ...{
    path: '/repos/acme/site/issues',
    requestedAt: '2026-11-13T15:40:12.000Z',
    expiresAt: '2026-11-13T15:50:12.000Z',
  },
  ...{ decidedBy: null, decidedAt: null, status: null, problem: null },
  ...changes,
});

const byLong = { id: 'other', key: null, label: `${LONG}@example.com` };
const APPROVALS = [
  approvalOf(),
  approvalOf({ state: 'sent', status: 201, decidedBy: { id: 'u', key: null, label: 'ann@example.com' } }),
  approvalOf({ state: 'refused', decidedBy: byLong, path: `/<b>${LONG}`, token: { id: 'a', name: LONG } }),
  approvalOf({ state: 'refused', decidedBy: byLong, problem: 'The account has changed.' }),
  approvalOf({ state: 'unclear', decidedBy: byLong }),
  approvalOf({ state: 'expired' }),
];

const viewOf = (changes: Partial<AgentsView> = {}): AgentsView => ({
  ...{ url: 'https://patchbay.example', cursor: undefined, hasAccounts: true },
  agents: { rows: [agentOf(), agentOf({ client: null, expiresAt: NOW - 1 }), longestAgent], nextCursor: 'next' },
  names: new Map([['github', 'GitHub']]),
  deeds: {
    rows: [
      ...APPROVALS.map((approval) => ({ at: NOW, approval })),
      ...[requestOf(), left, longest].map((request) => ({ at: NOW, request })),
    ],
    providers: PROVIDERS,
  },
  ...changes,
});

const NOTHING = { agents: { rows: [], nextCursor: null }, hasAccounts: false };

describe('the page of agents', () => {
  let stills: StillPages;
  before(async () => {
    stills = await openStillPages();
  });
  after(() => stills.close());

  const stillOf = (changes: Partial<AgentsView> = {}, role: 'admin' | 'member' = 'admin') => {
    const person = { ...PERSON, role };
    return { person, path: '/agents', page: agentsPage(person, viewOf(changes)) };
  };

  for (const [state, still] of Object.entries({
    'with the longest values': stillOf(),
    'on this machine, with nothing yet': stillOf({ ...NOTHING, url: 'http://localhost:3000' }),
    'for a member': stillOf({ deeds: null }, 'member'),
  }))
    test(`passes axe and never scrolls sideways: ${state}`, async () => {
      assert.deepEqual(await stills.findFlaws(still), []);
    });

  test('says who decided, and never that somebody refused what they approved', async () => {
    const text = (await stills.read(stillOf())).replaceAll(/\s+/g, ' ');
    assert.match(text, /Sent, 201 approved by you/);
    assert.match(text, /Refused refused by W{200}@example\.com/);
    assert.match(text, /Refused approved by W{200}@example\.com/);
    assert.match(text, /Unclear approved by W{200}@example\.com/);
    assert.doesNotMatch(text, /Expired (approved|refused)/);
  });

  test('warns of an address that nobody else can reach, and only then', async () => {
    const LOCAL = /Only programs on this machine can reach this address/;
    assert.doesNotMatch(await stills.read(stillOf()), LOCAL);
    for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000'])
      assert.match(await stills.read(stillOf({ url })), LOCAL);
  });
});
