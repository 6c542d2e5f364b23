import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GRANT_LIFETIMES } from '../scripts/grant-lifetimes.ts';
import { type LintedEntry, lintCatalogue } from '../scripts/lint-catalogue.ts';
import { renderLogos } from '../scripts/render-logos.ts';
import { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import type { FullRecord } from '../src/integrations/catalogue/provider.ts';

const record: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  category: 'crm',
  scopes: [],
  params: { account: { about: 'The account.', pattern: '[a-z]+', example: 'acme' } },
  domains: ['vendor.example'],
  pkce: 'supported',
  authorize: { url: 'https://{account}.vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
  refresh: { rotates: 'unknown' },
  revoke: { url: 'https://vendor.example/revoke' },
  api: { url: 'https://api.vendor.example' },
};
const whole = [
  'scopes',
  'requiredScopes',
  'params',
  'pkce',
  'authorize',
  'token',
  'refresh',
  'revoke',
  'errors',
  'api',
];
const entry = (changes: object, evidence: object = {}): LintedEntry => ({
  file: 'vendor.json',
  record: { ...record, ...changes } as FullRecord,
  evidence: { checked: '2026-11-17', seen: {}, recalled: whole, ...evidence },
});
const lint = (...entries: LintedEntry[]): string => lintCatalogue(entries).join('\n');

describe('how long a grant lives', () => {
  const page = 'https://vendor.example/docs';
  const stateOf = (changes: object, evidence: object = {}): string[] =>
    Object.entries(GRANT_LIFETIMES).flatMap(([name, fits]) => (fits(entry(changes, evidence)) ? [name] : []));
  const lives = (lifetimes: object) => ({ refresh: { rotates: 'always', ...lifetimes } });

  test('is stated, with a source or without one', () => {
    const seen = { 'refresh.idleDays': page };
    assert.deepEqual(stateOf(lives({ idleDays: 30 }), { seen }), ['a lifetime is stated, with a source']);
    const doubtful = ['a lifetime is stated, and is doubtful or from memory'];
    assert.deepEqual(stateOf(lives({ idleDays: 30 })), doubtful);
    assert.deepEqual(stateOf(lives({ idleDays: 30, absoluteDays: 365 }), { seen }), doubtful);
  });

  test('has no end if a source says so of both lifetimes', () => {
    const seen = { 'refresh.idleDays': page, 'refresh.absoluteDays': page };
    assert.deepEqual(stateOf({}, { seen }), ['a grant never ends by itself, with a source']);
    assert.deepEqual(stateOf({}, { seen: { 'refresh.idleDays': page } }), ['not looked for']);
  });

  test('is not known if it was looked for in vain, or not looked for', () => {
    const lookedFor = { 'refresh.idleDays': 'its pages', 'refresh.absoluteDays': 'its pages' };
    assert.deepEqual(stateOf({}, { lookedFor }), ['looked for, and not found or nothing that an entry can state']);
    assert.deepEqual(stateOf({}), ['not looked for']);
    assert.deepEqual(stateOf({ refresh: null }), ['there is no refresh token']);
  });

  test('is one of these for every entry', () => {
    for (const one of readEntries().filter(({ record }) => !('fields' in record)))
      assert.equal(Object.values(GRANT_LIFETIMES).filter((fits) => fits(one)).length, 1, one.record.id);
  });
});

describe('the rules for built-in entries', () => {
  test('are kept by all of them', () => assert.deepEqual(lintCatalogue(readEntries()), []));

  test('have nothing against an entry that is known from memory, and says so', () => assert.equal(lint(entry({})), ''));

  const refused: [string, object, RegExp][] = [
    ['an address without https', { api: { url: 'http://api.vendor.example' } }, /must be https/],
    ['a host outside its domains', { token: { url: 'https://pagerduty.example/token' } }, /\/domains does not cover/],
    ['no domains', { domains: undefined }, /\/domains is missing/],
    ['a placeholder that nothing fills', { api: { url: 'https://api.vendor.example/{site}' } }, /uses \{site\}/],
    [
      'a secret in an address of the API',
      { api: { url: 'https://api.vendor.example/{client_secret}' } },
      /uses \{client_secret\}/,
    ],
    [
      'a param that fills nothing',
      { authorize: { url: 'https://vendor.example/a' } },
      /\/params\/account is used nowhere/,
    ],
    ['a category that nobody knows', { category: 'misc' }, /\/category "misc"/],
    ['no category', { category: undefined }, /\/category "undefined"/],
    ['no API', { api: null }, /\/api is missing/],
    ['a sunset on no day', { sunsets: [{ date: '2026-02-30', what: 'It ends.', source: 'x' }] }, /2026-02-30 is not/],
    ['a retirement on no day', { retired: { since: '2026-13-01', reason: 'It ended.' } }, /2026-13-01 is not a date/],
    ['an alias in capitals', { aliases: ['GSuite'] }, /\/aliases\/0 has the wrong format/],
    ['the name of another file', { id: 'other' }, /\/id is not its file name/],
    ['a field that does not exist', { tokens: {} }, /additional properties/],
  ];
  for (const [what, changes, message] of refused)
    test(`refuse ${what}`, () => assert.match(lint(entry(changes)), message));

  test('refuse a field without evidence, and evidence that is no longer true', () => {
    const recalled = whole.filter((field) => field !== 'pkce');
    assert.equal(lint(entry({}, { recalled })), 'vendor.json: evidence has nothing about pkce.');
    assert.equal(lint(entry({}, { recalled, unchecked: ['pkce'] })), '');
    assert.match(
      lint(entry({}, { unchecked: ['pkce'] })),
      /lists pkce as unchecked or not found, but has a source for it/,
    );
    assert.match(lint(entry({}, { corrected: { webhook: 'was none' } })), /corrected names webhook/);
    assert.match(lint(entry({}, { seen: { pkce: 'recalled' } })), /seen has no source for pkce, and memory belongs/);
  });

  test('take a lifetime as not found even if all of the refresh is doubtful, unless it has a source', () => {
    const recalled = whole.filter((field) => field !== 'refresh');
    const lookedFor = { 'refresh.idleDays': 'its pages', 'refresh.absoluteDays': 'its pages' };
    assert.equal(lint(entry({}, { recalled, uncertain: ['refresh: who knows'], lookedFor })), '');
    const seen = { 'refresh.idleDays': 'https://vendor.example/docs' };
    assert.match(lint(entry({}, { seen, lookedFor })), /lists refresh\.idleDays as unchecked or not found, but has/);
  });

  test('refuse an entry that was searched for one of two lifetimes', () => {
    const lookedFor = { 'refresh.idleDays': 'its pages' };
    const only = /lookedFor has only one of refresh\.idleDays and refresh\.absoluteDays/;
    assert.match(lint(entry({}, { lookedFor })), only);
    assert.equal(lint(entry({ refresh: { rotates: 'unknown', absoluteDays: 90 } }, { lookedFor })), '');
  });

  test('refuse what could lose a grant if memory is wrong', () => {
    const page = 'https://vendor.example/docs';
    const bold: [string, object][] = [
      ['errors.invalidGrant', { errors: { invalidGrant: ['105'] } }],
      ['refresh.rotates', { refresh: { rotates: 'never' } }],
      ['refresh.graceSeconds', { refresh: { rotates: 'always', graceSeconds: 60 } }],
      ['refresh.absoluteUnlessScope', { refresh: { rotates: 'always', absoluteDays: 30, absoluteUnlessScope: 'x' } }],
      ['revoke.kills', { revoke: { url: 'https://vendor.example/revoke', kills: 'token' } }],
    ];
    for (const [field, changes] of bold) {
      assert.equal(lint(entry(changes)), `vendor.json: ${field} could lose a grant, and has no source.`);
      const part = field.split('.')[0] ?? '';
      const recalled = whole.filter((one) => one !== part);
      assert.doesNotMatch(lint(entry(changes, { seen: { [field]: page }, recalled })), /could lose a grant/);
      assert.match(lint(entry(changes, { uncertain: [`${field}: who knows`] })), /could lose a grant/);
    }
  });

  test('refuse a token address that two entries have, unless they say why', () => {
    const other: LintedEntry = { ...entry({ id: 'other' }), file: 'other.json' };
    assert.match(lint(entry({}), other), /vendor\.json: \/token\/url is also that of other\.[\s\S]*other\.json/);
    const why = { sharedTokenUrl: 'They are one company.' };
    assert.equal(lint(entry({}, why), { ...other, evidence: { ...other.evidence, ...why } }), '');
    assert.match(lint(entry({}, why), other), /^other\.json: [^\n]*$/);
  });

  test('let two entries have the same address under domains of their own', () => {
    const at = (id: string): LintedEntry => ({
      ...entry({
        id,
        domains: [`${id}.example`],
        authorize: { url: `https://${id}.example/authorize/{account}` },
        token: { url: 'https://{account}/token' },
        revoke: { url: `https://${id}.example/revoke` },
        api: { url: `https://${id}.example/api` },
      }),
      file: `${id}.json`,
    });
    assert.equal(lint(at('one'), at('two')), '');
  });

  test('refuse a logo that does not exist', () => {
    assert.throws(() => renderLogos([entry({ logo: 'nosuchlogo' })]), /vendor\.json: simple-icons has no "nosuchlogo"/);
    assert.match(renderLogos([entry({ logo: 'github' })]), /"vendor"/);
  });
});
