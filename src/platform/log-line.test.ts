import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLog } from './log.ts';
import { formatLogLine } from './log-line.ts';
import { Secret } from './secret.ts';

const capture = () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(stripVTControlCharacters(formatLogLine(line))) };
  const log = createLog({ level: 'info', secrets: [new Secret('a-long-secret')], shapes: [], destination });
  return { log, lines };
};

const COLOR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** Captures the lines with their colors. */
const captureRaw = () => {
  const write: string[] = [];
  const destination = { write: (line: string) => void write.push(formatLogLine(line)) };
  return { log: createLog({ level: 'info', secrets: [], shapes: [], destination }), write };
};

test('at a terminal, a line has the time, the level, the message, and what is known besides', () => {
  const { log, lines } = capture();
  log.info({ url: 'http://localhost:3000', production: false, keys: ['k2', 'k1'] }, 'ready');
  log.warn({}, 'nothing more');
  assert.match(
    lines[0] ?? '',
    /^\d\d:\d\d:\d\d {2}info {3}ready {2}url=http:\/\/localhost:3000 {2}production=false {2}keys=k2, k1\n$/,
  );
  assert.match(lines[1] ?? '', /^\d\d:\d\d:\d\d {2}warn {3}nothing more\n$/);
});

test('at a terminal, a long list is shown by its ends', () => {
  const { log, lines } = capture();
  log.info({ applied: Array.from({ length: 50 }, (_, index) => `m${index}`) }, 'database migrated');
  assert.match(lines[0] ?? '', /database migrated {2}applied=m0 … m49 \(50\)\n$/);
});

test('at a terminal, an error shows where it happened, and secrets are struck out', () => {
  const { log, lines } = capture();
  log.error({ err: new Error('no a-long-secret') }, 'failed');
  assert.match(lines[0] ?? '', /error {2}failed\n {2}Error: no \[secret\]\n {6}at /);
});

test('at a terminal, nothing that is logged begins a line of its own or is obeyed', () => {
  const { log, write } = captureRaw();
  const forged = 'x\n07:00:00  info   paused\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202e';
  log.warn({ problem: forged, list: [forged], deep: { forged }, [forged]: 1, err: new Error(forged) }, forged);
  const [line = ''] = write.map((raw) => raw.replaceAll(COLOR, ''));
  assert.doesNotMatch(line, /(?!\n)[\p{Cc}\u202e]/u);
  assert.deepEqual(line.split('\n').filter((text) => /^\s*\d/.test(text)).length, 1, line);
  assert.match(line, /\n {2}Error: x\\n07:00:00 {2}info {3}paused\\u001b\]0;owned\\u0007.*\n {6}at /);
});
