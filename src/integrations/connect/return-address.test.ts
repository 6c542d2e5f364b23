import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { Refusal } from '../../platform/index.ts';
import { addOutcome, checkReturnAddress } from './return-address.ts';

const ORIGINS = ['https://app.example', 'http://localhost:5173'];
const OURS = 'https://patchbay.example';

const check = (address: string): string | null => {
  try {
    return checkReturnAddress(address, ORIGINS);
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'integrations.return_refused', String(error));
    return null;
  }
};

/** Where a browser on our page would go with this address. */
const goesTo = (address: string): URL => new URL(address, OURS);

test('keeps our own paths and addresses within an allowed origin', () => {
  const kept = [
    ...['/', '/integrations', '/a/b?c=d#e', '/?next=https://evil.example'],
    ...['https://app.example/', 'https://app.example/done?x=1#y', 'http://localhost:5173/'],
  ];
  for (const address of kept) assert.equal(check(address), address);
  assert.equal(check('https://app.example'), 'https://app.example/');
  assert.equal(check('https://APP.example:443/x'), 'https://app.example/x');
});

test('refuses every other address', () => {
  const addresses = [
    ...['', ' ', 'done', './done', '../done', '?x', '#x', 'app.example', 'app.example/x'],
    ...[
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
    ],
    ...['/.//evil.example', '/x/..//evil.example', '/%2e//evil.example', ' //evil.example', '\u0000//evil.example'],
    ...[
      'https://evil.example',
      'https://app.example.evil.example',
      'https://evilapp.example',
      'https://sub.app.example',
    ],
    ...[
      'http://app.example',
      'https://app.example:8443',
      'http://localhost',
      'https://localhost:5173',
      'https://app.example.',
    ],
    ...[
      'https://app.example@evil.example',
      'https://user@app.example',
      'https://:pass@app.example/',
      'https://@evil.example',
    ],
    ...[
      'https:app.example',
      'https:/app.example',
      'https:///evil.example',
      'https:\\\\app.example',
      'https://app.example\\@evil.example',
    ],
    ...[
      'https://app.example\t/x',
      'https://app.example/\n',
      ' https://app.example',
      'https://app.example ',
      'https://app.example/a b',
    ],
    ...['HTTPS://app.example/', 'javascript:alert(1)', 'JavaScript://app.example/%0aalert(1)', 'data:text/html,x'],
    ...['blob:https://app.example/x', 'ftp://app.example', 'file:///etc/passwd', 'https://', 'https://[', 'null'],
    `https://app.example/${'x'.repeat(2_000)}`,
    `/${'x'.repeat(2_001)}`,
  ];
  for (const address of addresses) assert.equal(check(address), null, JSON.stringify(address));
});

test('without allowed origins, only our own paths remain', () => {
  assert.equal(checkReturnAddress('/done', []), '/done');
  assert.throws(() => checkReturnAddress('https://app.example/', []), Refusal);
});

const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        'https:',
        'http:',
        'https://',
        'app.example',
        'evil.example',
        'localhost:5173',
        '@',
        ':',
        '.',
        '..',
      ],
      ...[
        '%2f',
        '%5c',
        '%00',
        '\t',
        '\n',
        '\r',
        ' ',
        '?',
        '#',
        '[',
        ']',
        '。',
        '／',
        '\u00a0',
        '\u2028',
        'a',
        '\u0000',
        ';',
      ],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const anything = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  pieces,
  pieces.map((end) => `/${end}`),
  pieces.map((end) => `https://app.example${end}`),
);

test('whatever is requested, a browser ends up here or within an allowed origin', () => {
  fc.assert(
    fc.property(anything, (address) => {
      const kept = check(address);
      if (kept === null) return;
      const { origin, username, password } = goesTo(kept);
      if (kept.startsWith('/')) assert.equal(origin, OURS, kept);
      else assert.ok(ORIGINS.includes(origin), kept);
      assert.equal(username + password, '');
      assert.doesNotMatch(kept, /[\p{Cc}\\\s]/u);
    }),
    { numRuns: 5_000 },
  );
});

test('an accepted address is accepted again unchanged', () => {
  fc.assert(
    fc.property(anything, (address) => {
      const kept = check(address);
      if (kept !== null && kept.length <= 2_000) assert.equal(check(kept), kept);
    }),
    { numRuns: 2_000 },
  );
});

test('adds the outcome to the query and removes an older one', () => {
  const outcome = { provider: 'github', outcome: 'connected' };
  assert.equal(addOutcome('/done', outcome), '/done?provider=github&outcome=connected');
  assert.equal(
    addOutcome('https://app.example/done?tab=2&error=old&attempt=old&outcome=failed#here', outcome),
    'https://app.example/done?tab=2&provider=github&outcome=connected#here',
  );
  assert.equal(new URL(addOutcome('/x', { error: 'a&b=c#d' }), OURS).searchParams.get('error'), 'a&b=c#d');
});

test('adding the outcome never changes the destination', () => {
  fc.assert(
    fc.property(anything, fc.string(), (address, error) => {
      const kept = check(address);
      if (kept === null) return;
      const before = goesTo(kept);
      const after = goesTo(addOutcome(kept, { error }));
      assert.equal(after.origin, before.origin);
      assert.equal(after.pathname, before.pathname);
      assert.deepEqual(after.searchParams.getAll('error'), [error]);
    }),
    { numRuns: 2_000 },
  );
});
