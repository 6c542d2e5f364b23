import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
} from '../../../test/harness/made-up-requests.ts';
import type { UsedCredential } from '../../integrations/index.ts';
import type { DashboardPage } from '../frame.ts';
import type { RequestsView } from './load-requests.ts';
import { isNarrowed, requestsAddress, subjectOf, toRequestQuery } from './request-filter.ts';
import { requestPage } from './request-page.ts';
import { requestsPage } from './requests-page.ts';

/** What a person reads. */
const textOf = ({ content }: DashboardPage): string =>
  content
    .toString()
    .replaceAll(/<button[^>]*class="copies"[\s\S]*?<\/button>|<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

const readList = (changes: Partial<RequestsView>): string => textOf(requestsPage(PERSON, viewOf(changes)));
const readPage = (request: UsedCredential): string =>
  textOf(requestPage(PERSON, { request, people: PEOPLE, providers: PROVIDERS }));

describe('the list of requests', () => {
  test('shows what failed, and cuts what is long', () => {
    const text = readList({ requests: [requestOf(), failed, left, handedOut, longest] });
    assert.match(text, /GET \/user\/repos Today, 3:40 PM 200 85 ms nightly sync ann@example\.com/);
    assert.match(text, /PUT \/orgs\/acme\/members Today, 3:40 PM 403/);
    assert.match(text, /No response/);
    assert.match(text, /Access token handed out .* – Operator, for ann@example\.com/);
    assert.match(text, /DELETE \/<b>W{76}… /);
    assert.match(text, /3600\.0 s/);
    assert.ok(text.length < 2_000, 'No row shows a whole path.');
    const markup = requestsPage(PERSON, viewOf({ requests: [requestOf(), failed] })).content.toString();
    assert.deepEqual(markup.match(/<span class="pill[^<]*/g), ['<span class="pill">200', '<span class="pill bad">403']);
  });

  test("names the connection of each request only if it isn't the list of one connection", () => {
    const requests = [requestOf({ connection: 'work' })];
    assert.doesNotMatch(readList({ requests }), /GitHub \(work\)/);
    assert.match(readList({ requests, query: { by: 't1' }, chosen: 'nightly sync' }), /repos GitHub \(work\) Today/);
    assert.match(readList({ requests, query: { provider: 'github' } }), /repos GitHub \(work\) Today/);
  });

  test('offers its callers for the filter, and keeps the chosen one', () => {
    const { content } = requestsPage(
      PERSON,
      viewOf({
        query: { provider: 'github', by: 'gone' },
        requests: [requestOf(), handedOut, requestOf({ by: { ...handedOut.by, kind: 'proxy', via: 'jwt' } })],
        chosen: 'an old token',
      }),
    );
    const [, options = ''] = /<select id="by"[^>]*>(.*?)<\/select>/s.exec(content.toString()) ?? [];
    assert.deepEqual(
      [...options.matchAll(/<option value="([^"]*)"( selected)?>([^<]*)/g)].map(([, ...parts]) => parts.join(' ')),
      ['  Anyone', 't1  nightly sync', 'operator  Operator', 'user:u  ann@example.com', 'gone  selected an old token'],
    );
  });

  test('teaches how to make a request, or says that none can be made', () => {
    const text = readList({ query: { provider: 'github', connection: 'work' } });
    assert.match(text, /Nothing requested in the last seven days/);
    assert.match(text, /appends the path to https:\/\/api\.github\.com/);
    assert.ok(
      text.includes(
        `curl -H "Authorization: Bearer $TOKEN" 'https://patchbay.example/api/integrations/github/proxy/<path>?connection=work'`,
      ),
    );
    assert.ok(text.includes("await patchbay.fetch('github', '/<path>', { connection: 'work' })"));
    const without = readList({ query: { provider: 'apart' } });
    assert.match(without, /Patchbay doesn't know the API of Apart/);
    assert.doesNotMatch(without, /curl/);
    assert.match(readList({ query: { by: 't1' }, chosen: 'nightly sync' }), /\/api\/integrations\/<provider>\/proxy/);
  });

  test('says that a search has not ended yet, or has found nothing', () => {
    const query = { provider: 'github', method: 'PUT' } as const;
    assert.match(
      readList({ query, nextCursor: 'next' }),
      /Nothing found so far\. .* haven't been searched yet\. Older$/,
    );
    assert.match(readList({ query }), /No matching requests in the last seven days\. Show all/);
    assert.match(readList({ query: { provider: 'github', cursor: 'x' } }), /No older requests\. Newest$/);
  });
});

describe('the page of a request', () => {
  test('says whose response it was', () => {
    assert.match(readPage(requestOf()), /^200 The provider responded\./);
    assert.match(readPage(failed), /^403 The provider responded with an error\./);
    assert.match(readPage(requestOf({ failed: true })), /^200, incomplete The provider's response was incomplete\./);
    const unreachable = requestOf({ status: 502, failed: true, from: 'patchbay' });
    assert.match(readPage(unreachable), /^502 Patchbay answered\./);
    assert.match(readPage(left), /^No response The caller left/);
    assert.match(readPage(handedOut), /^Handed out An access token was handed out.* Called with Operator token/);
  });

  test('has everything that is known', () => {
    const text = readPage(longest);
    for (const words of [
      `Path ${longest.path}`,
      `Host ${longest.host}`,
      'Sent twice The second time with a renewed credential',
      `Token ID ${longest.by.id}`,
      `Client ${longest.client}`,
      `Trace ID ${longest.traceId}`,
    ])
      assert.ok(text.includes(words), words);
  });
});

test('a filter is kept in the address, and cleared down to what the list is of', () => {
  const narrowed = { provider: 'github', connection: 'work', by: 't1', result: 'failed', method: '' } as const;
  assert.equal(requestsAddress(narrowed), '/requests?provider=github&connection=work&by=t1&result=failed');
  assert.equal(requestsAddress(subjectOf(narrowed)), '/requests?provider=github&connection=work');
  assert.equal(requestsAddress(subjectOf({ by: 't1', since: '2026-11-01' })), '/requests?by=t1');
  assert.deepEqual([isNarrowed(narrowed), isNarrowed({ by: 't1', since: '' })], [true, false]);
});

test('a day begins in the time zone of the team, and a class of errors is a search for failures', () => {
  const {
    since,
    failed: onlyFailed,
    statusClass,
  } = toRequestQuery({ since: '2026-11-02', result: '5xx' }, 'Europe/Berlin');
  assert.deepEqual([since, onlyFailed, statusClass], [Date.parse('2026-11-01T23:00:00Z'), true, 5]);
  const { failed: any, ...rest } = toRequestQuery({ result: '2xx', by: '', cursor: '' }, 'UTC');
  assert.deepEqual([any, rest.statusClass, rest.caller, 'cursor' in rest], [false, 2, undefined, false]);
});
