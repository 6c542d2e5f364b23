import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PRODUCTION, type RunOptions } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';

const KEY = PRODUCTION.PATCHBAY_KEYS;
const STRONG = 'q7Zt2nXw9Lr4Vb6Kc1Hd8Jm3';

type Case = { env: Record<string, string>; lines: RegExp[] };

const BAD: Record<string, Case> = {
  'several at once, each in a line of its own': {
    env: {
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      PATCHBAY_URL: 'ftp://files.example',
      DATABASE_URL: 'mysql://root:hunter2-visible@localhost/db',
      PATCHBAY_KEYS: 'k1:hunter2-visible',
      PATCHBAY_ADMIN_TOKEN: 'hunter2-visible',
      DEBUG_TOKEN: 'hunter2-visible with spaces',
      PATCHBAY_TRUSTED_PROXIES: 'everyone',
    },
    lines: [
      /^PORT must be a whole number from 1 to 65535\.$/,
      /^PATCHBAY_URL must be .*https:\/\//,
      /^DATABASE_URL must be .*postgresql:\/\//,
      /^PATCHBAY_KEYS must be .*base64/,
      /^PATCHBAY_ADMIN_TOKEN must be .*32 characters/,
      /^DEBUG_TOKEN must be .*without spaces/,
      /^PATCHBAY_TRUSTED_PROXIES must be .*10\.0\.0\.0\/8/,
      /^LOG_LEVEL must be one of .*debug/,
    ],
  },
  'a shared database without keys': {
    env: { DATABASE_URL: 'postgresql://postgres@127.0.0.1:9/postgres' },
    lines: [/^PATCHBAY_KEYS must be set if DATABASE_URL is/],
  },
  'a public address, which is production, without keys': {
    env: { PATCHBAY_URL: 'https://patchbay.example' },
    lines: [/^PATCHBAY_KEYS must be set in production/],
  },
  'production with weak secrets': {
    env: {
      ...PRODUCTION,
      PATCHBAY_ADMIN_TOKEN: 'a'.repeat(40),
      CRON_SECRET: `${STRONG},short`,
      DEBUG_TOKEN: 'abababababababababab',
      METRICS_TOKEN: 'secret',
    },
    lines: [
      /^PATCHBAY_ADMIN_TOKEN is too weak/,
      /^CRON_SECRET is too weak/,
      /^DEBUG_TOKEN is too weak/,
      /^METRICS_TOKEN is too weak/,
    ],
  },
  'production with one secret for two doors, or a key for one': {
    env: { ...PRODUCTION, CRON_SECRET: `${STRONG},${STRONG}`, DEBUG_TOKEN: STRONG, METRICS_TOKEN: KEY.slice(3) },
    lines: [
      /^CRON_SECRET must not equal another entry/,
      /^DEBUG_TOKEN must not equal CRON_SECRET/,
      /^METRICS_TOKEN must not be a key/,
    ],
  },
};

describe('unusable settings stop the start with exit code 2', { concurrency: 3 }, () => {
  for (const [what, { env, lines }] of Object.entries(BAD)) {
    test(what, async (context) => {
      const stage = openServeStage(context);
      const program = stage.run({ PATCHBAY_DATA: stage.newDirectory(), ...env });
      assert.equal((await program.ended()).code, 2, program.output.stderr);
      const said = program.errorLines();
      assert.equal(said.length, lines.length, program.output.stderr);
      for (const [index, line] of lines.entries()) assert.match(said[index] ?? '', line);
      assert.equal(program.output.stdout, '');
      for (const secret of ['hunter2', STRONG, KEY.slice(3)]) {
        assert.ok(!program.output.stderr.includes(secret), 'A value is never shown: it may be a secret.');
      }
    });
  }
});

/** The machine's own Node if it is too old, otherwise this one, pretending to be. */
const findOldNode = (): RunOptions => {
  const own = '/usr/bin/node';
  const isOld = existsSync(own) && Number(execFileSync(own, ['-p', 'parseInt(process.versions.node)'])) < 24;
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.4.0' } })`;
  return isOld ? { node: own } : { nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`] };
};

test('a Node that is too old is told in one line what to do instead', async (context) => {
  const program = openServeStage(context).run({}, findOldNode());
  assert.equal((await program.ended()).code, 2);
  assert.equal(program.errorLines().length, 1, program.output.stderr);
  assert.match(
    program.output.stderr,
    /^Patchbay needs Node 24\S* or newer, but this is Node \d+.*bin\/patchbay.*npm start/,
  );
});

test('a setting that does not exist is reported at the start, with the one that was probably meant', async (context) => {
  const stage = openServeStage(context);
  const serving = await stage.serve({ PATCHBAY_DATA: stage.newDirectory(), PATCHBAY_RETURN_ORIGIN: 'hunter2' });
  await serving.ready();
  const { stdout } = serving.output;
  assert.match(stdout, /"PATCHBAY_RETURN_ORIGIN","didYouMean":"PATCHBAY_RETURN_ORIGINS"/);
  assert.ok(!stdout.includes('hunter2'), 'A value is never shown: it may be a secret.');
});
