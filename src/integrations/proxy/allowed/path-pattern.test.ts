import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowedPath } from '../check-path.ts';
import { isUnambiguous, matchesPattern, type PathPattern, parsePattern, toSegments } from './path-pattern.ts';

const parse = (text: string): PathPattern => {
  const pattern = parsePattern(text);
  assert.ok(pattern, text);
  return pattern;
};

/** Whether a request with this path passes, as the proxy decides. */
const passes = (path: string, pattern: PathPattern): boolean =>
  isAllowedPath(path.slice(1)) && isUnambiguous(path) && matchesPattern(toSegments(path), pattern);

test('an asterisk stands for one whole segment, and two for the rest', () => {
  const cases: [pattern: string, passing: string[], refused: string[]][] = [
    ['/user', ['/user'], ['/', '/user/', '/users', '/User', '/user/x', '/user%2Fx', '/us%65r', '//user']],
    ['/repos/*/*/issues', ['/repos/a/b/issues'], ['/repos/a/issues', '/repos/a//issues', '/repos/a/b/c/issues']],
    ['/repos/**', ['/repos/a', '/repos/a/b/c'], ['/repos', '/repos/', '/repos//a', '/repository/a']],
    ['/items/*/', ['/items/7/'], ['/items/7', '/items//', '/items/7/8']],
    ['/**', ['/a', '/a/b'], ['//a', '/../a', '/a;b']],
    ['/users/me', ['/users/me'], ['/users/ME', '/users/me%20', '/users/me;x', '/users/me%3fx', '/users/m%65']],
    ['/files/*', ['/files/a%20b', '/files/100%25', '/files/%C3%A9'], ['/files/a%252Fb', '/files/a%5Cb', '/files/..']],
  ];
  for (const [text, passing, refused] of cases) {
    const pattern = parse(text);
    for (const path of passing) assert.ok(passes(path, pattern), `${path} for ${text}`);
    for (const path of refused) assert.ok(!passes(path, pattern), `${path} for ${text}`);
  }
});

test('a text that no path can match exactly, or that means two things, is no pattern', () => {
  const refused = ['', 'user', '/a/**/b', '/a*', '/a/*b', '/***', '/a//b', '/a?b=c', '/a#b', '/../a', '/a/./b', '/%61'];
  for (const text of [...refused, '/a;b', '/a%2Fb', '/a b', '/ä', '//', '/a\\b', '/a%'])
    assert.equal(parsePattern(text), null, text);
});

/** What some servers make of a path before they look for its route. */
const READERS: Record<string, (path: string) => string> = {
  'decodes once': (path) => decodeURIComponent(path),
  'decodes twice': (path) => decodeURIComponent(decodeURIComponent(path).replaceAll(/%(?![0-9a-f]{2})/gi, '%25')),
  'cuts off at a semicolon, question mark, or number sign': (path) =>
    decodeURIComponent(path)
      .split('/')
      .map((segment) => segment.split(/[;?#]/)[0])
      .join('/'),
  'merges slashes': (path) => decodeURIComponent(path).replaceAll(/\/+/g, '/'),
  'reads backslashes as slashes': (path) => decodeURIComponent(path).replaceAll('\\', '/'),
  'normalizes characters': (path) => decodeURIComponent(path).normalize('NFKC'),
  'resolves dots': (path) => new URL(path, 'http://provider.example').pathname,
};

const SEGMENT = fc.array(
  fc.constantFrom(
    ...[
      'a',
      'b',
      'A',
      '.',
      '..',
      '-',
      '~',
      '%41',
      '%2e',
      '%2E',
      '%2f',
      '%5C',
      '%3b',
      ';',
      '%23',
      '%3F',
      '%25',
      '%252f',
    ],
    ...[
      '%20',
      '%C3%A9',
      '%EF%BC%8F',
      '%EF%BC%8E',
      '%E2%80%A4',
      '%C0%AE',
      '%00',
      '//',
      '\\',
      '+',
      '@',
      ':',
      '%e2%81%84',
    ],
  ),
  { minLength: 0, maxLength: 3 },
);
const PATTERN = fc
  .array(fc.constantFrom('a', 'b', 'ab', '*', '*', 'a%20b', '%C3%A9'), { minLength: 1, maxLength: 4 })
  .chain((segments) => fc.constantFrom(segments, [...segments, '**']));

/** Paths that are close to a pattern: most of its segments as they are, others, and anything where an asterisk is. */
const pathNear = (pattern: readonly string[]) =>
  fc
    .tuple(
      ...pattern.map((segment) => {
        const other = SEGMENT.map((pieces) => pieces.join(''));
        if (segment === '*') return other;
        if (segment === '**') return fc.array(other, { minLength: 1, maxLength: 3 }).map((rest) => rest.join('/'));
        return fc.oneof({ weight: 8, arbitrary: fc.constant(segment) }, { weight: 1, arbitrary: other });
      }),
    )
    .map((segments) => `/${segments.join('/')}`);
const CASE = PATTERN.chain((segments) => fc.tuple(fc.constant(`/${segments.join('/')}`), pathNear(segments)));

test('no path passes that some server reads as one that does not match', () => {
  let passed = 0;
  fc.assert(
    fc.property(CASE, ([text, path]) => {
      const pattern = parse(text);
      if (!passes(path, pattern)) return;
      passed++;
      for (const [how, read] of Object.entries(READERS)) {
        const segments = read(path).split('/').slice(1);
        const wanted = pattern.map((segment) => (segment.startsWith('*') ? segment : read(`/${segment}`).slice(1)));
        assert.ok(matchesPattern(segments, wanted), `a server that ${how} reads ${read(path)}`);
      }
    }),
    { numRuns: 20_000 },
  );
  assert.ok(passed > 1_000, `${passed} passed`);
});

test('a path that was encoded in any way passes only if it is the pattern byte for byte', () => {
  const encode = (character: string): fc.Arbitrary<string> => {
    const hex = character.charCodeAt(0).toString(16);
    return fc.constantFrom(character, `%${hex}`, `%${hex.toUpperCase()}`, `%25${hex}`, character.toUpperCase());
  };
  const written = (text: string) => fc.tuple(...[...text].map(encode)).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(written('/users/me'), (path) => {
      assert.equal(path.startsWith('/') && passes(path, parse('/users/me')), path === '/users/me', path);
    }),
  );
});
