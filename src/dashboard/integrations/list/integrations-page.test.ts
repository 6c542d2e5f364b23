import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEntries } from '../../../integrations/catalogue/catalogue.ts';
import type { ListedProvider } from '../../../integrations/index.ts';
import type { Region } from '../../display/region.ts';
import { categoryOf } from '../categories.ts';
import type { Entry, ShownConnection } from '../entry.ts';
import { logo } from '../logos/logo.ts';
import { type Filter, integrationsAddress, OVERVIEW, readFilter } from './filter.ts';
import { findEntries } from './find-entries.ts';
import { integrationsPage } from './integrations-page.ts';
import { pickShown } from './pick-shown.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const REGION: Region = { timeZone: 'UTC', hourCycle: 'h23', callingCode: null, now: NOW };
const FULL_DAY = { requests: 123_456, failures: 12_345, bytes: 1e9 };
const USAGE = { days: Array(7).fill(FULL_DAY), week: FULL_DAY };

const connectionTo = (provider: string, changes: Partial<ShownConnection> = {}): ShownConnection =>
  ({
    ...{ provider, name: provider, connection: 'default', status: 'connected', reason: null },
    ...{ account: { id: 'x'.repeat(100), label: `${'x'.repeat(60)}@example.com` } },
    ...{ scopes: ['read'], missingScopes: ['s'.repeat(60), 't'.repeat(60), 'u'.repeat(60), 'v'] },
    ...{ connectedAt: '2026-11-01T12:00:00Z', connectedBy: { id: 'u', key: null, label: 'admin' } },
    ...{ expiresAt: null, reconnectBefore: '2026-11-20T12:00:00Z', lastRefreshedAt: null, refreshFailures: 0 },
    ...{ lastUsedAt: '2026-11-17T11:58:00Z', lastError: null, troubleSince: null, nextTryAt: null },
    ...changes,
  }) as ShownConnection;

type Given = { id: string; name?: string; category?: string; aliases?: string[] } & Partial<ListedProvider>;

const entryOf = (
  { id, name = id, category = 'crm', aliases = [], ...rest }: Given,
  connections: ShownConnection[] = [],
): Entry => ({
  ...{ id, name, teamId: 'team', category: categoryOf(category), words: `${name} ${id} ${category}`, connections },
  aliases,
  provider: {
    ...{ id, name, category, kind: 'oauth2', configured: false, popular: false, retired: null, params: [], ...rest },
  } as unknown as ListedProvider,
});

const pageOf = (entries: readonly Entry[], filter: Partial<Filter> = {}): string => {
  const wanted = { ...OVERVIEW, ...filter };
  const view = { filter: wanted, shown: pickShown(entries, wanted), setUps: new Map(), usageOf: () => USAGE };
  return integrationsPage({ ...view, count: entries.length, region: REGION }).content.toString();
};

describe('the list of integrations', () => {
  test('shows a connection that needs reconnecting apart from the others of its provider', () => {
    const broken = { connection: 'old', status: 'needs_reconnect', lastError: 'It ended.' } as const;
    const shown = pickShown(
      [entryOf({ id: 'google' }, [connectionTo('google'), connectionTo('google', broken)])],
      OVERVIEW,
    );
    assert.deepEqual(
      shown.attention.items.map(({ connection }) => connection.connection),
      ['old'],
    );
    assert.deepEqual(
      shown.connected.items.map(({ connections }) => connections.map(({ connection }) => connection)),
      [['default']],
    );
  });

  test('has providers that are set up under "ready", but not those with keys, which need no setup', () => {
    const shown = pickShown(
      [
        entryOf({ id: 'set-up', configured: true }),
        entryOf({ id: 'keyed', configured: true, kind: 'api_key' }),
        entryOf({ id: 'other' }),
      ],
      OVERVIEW,
    );
    const idsOf = (shelf: 'ready' | 'others') => shown[shelf].items.map(({ id }) => id);
    assert.deepEqual(idsOf('ready'), ['set-up']);
    assert.deepEqual(idsOf('others'), ['keyed', 'other']);
  });

  test('finds what begins with the words first, without accents, and in a category', () => {
    const entries = ['Legit', 'The Git', 'GitHub', 'Café'].map((name) => entryOf({ id: name.toLowerCase(), name }));
    const find = (q: string) => findEntries(entries, q, null).map(({ name }) => name);
    assert.deepEqual(find('GIT'), ['GitHub', 'The Git', 'Legit']);
    assert.deepEqual(find('cafe'), ['Café']);
    assert.deepEqual(find('git crm'), ['Legit', 'The Git', 'GitHub']);
    assert.deepEqual(findEntries(entries, 'git', 'Marketing'), []);
  });

  test('finds what else people call a provider, and one with just that name before others', () => {
    const entries = [
      entryOf({ id: 'meeting', name: 'Meeting', aliases: ['teamspeak'] }),
      entryOf({ id: 'vendor', name: 'Vendor', aliases: ['office 365', 'teams'] }),
      entryOf({ id: 'steamship', name: 'Steamship', aliases: ['steams'] }),
    ];
    const find = (q: string) => findEntries(entries, q, null).map(({ name }) => name);
    assert.deepEqual(find('teams'), ['Vendor', 'Meeting', 'Steamship']);
    assert.deepEqual(find('Office 365'), ['Vendor']);
    assert.deepEqual(find('365'), ['Vendor']);
  });

  test('finds built-in providers by what people type', () => {
    const entries = readEntries().map(({ record: { id, name, category = 'other', aliases = [] } }) =>
      entryOf({ id, name, category, aliases }),
    );
    const typed = {
      google: ['gmail', 'gsuite', 'gcal', 'google drive', 'youtube'],
      microsoft: ['o365', 'outlook', 'teams', 'onedrive', 'sharepoint'],
      atlassian: ['confluence'],
      x: ['twitter'],
      quickbooks: ['qbo'],
    };
    for (const [id, words] of Object.entries(typed))
      for (const q of words) assert.equal(findEntries(entries, q, null)[0]?.id, id, q);
  });

  test('ignores what makes no sense in a URL, and writes back what does', () => {
    assert.deepEqual(readFilter({ q: ' a ', category: 'nothing', show: 'constructor' }), { ...OVERVIEW, q: 'a' });
    const filter: Filter = { q: 'a b', category: 'Mail and calendar', show: null, page: 2 };
    const address = integrationsAddress(filter);
    assert.equal(address, '/integrations?q=a+b&category=mail-and-calendar&page=2');
    assert.deepEqual(readFilter({ ...Object.fromEntries(new URL(address, 'http://x').searchParams), page: 2 }), filter);
  });

  test('is never more than 48 KB, with full shelves and the largest logos', () => {
    const heaviest = readEntries()
      .map(({ record: { id, name } }) => ({ id, name, size: logo({ id, name }).toString().length }))
      .sort((a, b) => b.size - a.size);
    const given = heaviest.map((one, index): Entry => {
      if (index < 3) {
        const lastError = 'The provider no longer accepts this connection. It was revoked, expired, or used elsewhere.';
        const broken = { status: 'needs_reconnect', lastError, troubleSince: '2026-11-16T12:00:00Z' } as const;
        return entryOf(one, [connectionTo(one.id, broken)]);
      }
      if (index < 12) return entryOf(one, [connectionTo(one.id)]);
      return entryOf({ ...one, configured: index < 18, popular: true });
    });
    const rest = Array.from({ length: 480 }, (_, index) => entryOf({ id: `more-${index}`, popular: true }));
    const bytes = Buffer.byteLength(pageOf([...given, ...rest]));
    assert.ok(bytes <= 48 * 1_024, `${bytes} bytes`);
  });
});
