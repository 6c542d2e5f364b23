import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';

const capture = (secrets: string[] = [], level = 'info') => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({
    level,
    secrets: secrets.map((one) => new Secret(one)),
    shapes: [/pb_[0-9a-f]{4}_\w+/g],
    destination,
  });
  return { log, lines };
};

test('known secrets and secret patterns are struck out everywhere', () => {
  const { log, lines } = capture(['s3cret"value\\x', 'short']);
  const error = new Error('failed with s3cret"value\\x');
  log.error({ err: error, note: 'pb_12ab_tokentoken', header: 'Bearer abcdefghijkl' }, 's3cret"value\\x in a message');
  const printed = lines.join('');
  assert.ok(!printed.includes('s3cret'), printed);
  assert.ok(!printed.includes('tokentoken'), printed);
  assert.ok(!printed.includes('abcdefghijkl'), printed);
  assert.doesNotThrow(() => JSON.parse(printed));
});

test('a secret is struck out whole, even if another secret or a pattern matches a part of it', () => {
  const { log, lines } = capture([
    'rotation-2026',
    'rotation-2026-november',
    'pb_12ab_key!first',
    'long-enough!second',
  ]);
  log.info({ text: 'rotation-2026-november', key: 'pb_12ab_key!first' }, 'Bearer long-enough!second');
  assert.doesNotMatch(lines.join(''), /november|first|second/);
});

test('only the message of an error is printed, not what a driver attaches to it', () => {
  const { log, lines } = capture();
  log.error(
    { err: Object.assign(new Error('no'), { code: '23505', detail: 'Key (email)=(a@b.c)', parameters: ['x'] }) },
    'failed',
  );
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? '').err), ['type', 'code', 'message', 'stack']);
});

test('the level decides what is logged', () => {
  const { log, lines } = capture([], 'warn');
  log.info({}, 'quiet');
  log.warn({}, 'loud');
  assert.equal(lines.length, 1);
});
