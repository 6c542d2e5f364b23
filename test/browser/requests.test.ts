import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RequestsView } from '../../src/dashboard/requests/load-requests.ts';
import { requestPage } from '../../src/dashboard/requests/request-page.ts';
import { requestsPage } from '../../src/dashboard/requests/requests-page.ts';
import type { UsedCredential } from '../../src/integrations/index.ts';
import {
  failed,
  handedOut,
  left,
  longest,
  PEOPLE,
  PERSON,
  PROVIDERS,
  requestOf,
  viewOf,
} from '../harness/made-up-requests.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

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
});
