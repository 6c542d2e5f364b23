import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const unit = read('deploy/patchbay.service');
const nginx = read('deploy/nginx.conf');
const caddyfile = read('deploy/Caddyfile');
const haproxy = read('deploy/haproxy.cfg');

const PORT = '3000';
/** `SHUTDOWN_MS` in src/serve.ts. */
const SHUTDOWN_SECONDS = 14;

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

test('the files for deployments only set what Patchbay knows', () => {
  const known = new Set(Object.values(settings).map(({ name }) => name as string));
  const [ofImage = ''] = /^ENV (?:.*\\\n)*.*$/m.exec(dockerfile) ?? [];
  const [ofCompose = ''] = /^ {4}environment:\n(?: {6}.*\n)+/m.exec(compose) ?? [];
  const names = [...all(ofImage, /(\w+)=/g), ...all(ofCompose, /^ {6}(\w+):/gm), ...all(unit, /^Environment=(\w+)=/gm)];
  assert.ok(names.length >= 10, names.join(' '));
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
});

test('everything uses the same port', () => {
  assert.equal(String(settings.port.fallback), PORT);
  assert.deepEqual(all(dockerfile, /(?:PORT=|EXPOSE )(\d+)/g), [PORT, PORT]);
  assert.deepEqual(all(unit, /PORT=(\d+)/g), [PORT]);
  assert.deepEqual(all(compose, /patchbay:(\d+)/g), [PORT]);
  assert.deepEqual(all(nginx, /127\.0\.0\.1:(\d+)/g), [PORT]);
  assert.deepEqual(all(caddyfile, /127\.0\.0\.1:(\d+)/g), [PORT]);
});

test('a process has time to finish before it is killed', () => {
  assert.match(read('src/serve.ts'), new RegExp(`SHUTDOWN_MS = ${SHUTDOWN_SECONDS}_000`));
  const times = [
    ...all(unit, /^TimeoutStopSec=(\d+)/gm),
    ...all(compose, /image: patchbay[\s\S]*?stop_grace_period: (\d+)s/g),
  ];
  assert.equal(times.length, 2);
  for (const seconds of times) assert.ok(Number(seconds) > SHUTDOWN_SECONDS, seconds);
});

test('the proxies take the address of the client themselves, and are the only ones that Patchbay trusts', () => {
  assert.match(nginx, /X-Forwarded-For \$remote_addr;/);
  assert.match(haproxy, /set-header X-Forwarded-For %\[src\]/);
  assert.deepEqual(all(compose, /PATCHBAY_TRUSTED_PROXIES: (\S+)/g), all(compose, /ipv4_address: (\S+)/g));
});

test('the image contains what it copies, and leaves out what it does not need', () => {
  const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((files) => files.split(' '));
  const allowed = all(read('.dockerignore'), /^!(.+)$/gm);
  assert.deepEqual([...new Set(copied)].sort(), allowed.sort());
  for (const file of copied) assert.ok(existsSync(join(ROOT, file)), file);
  assert.match(dockerfile, /npm ci --omit=dev/);
  assert.match(dockerfile, /^USER 10001:10001$/m);
});

test('the unit starts a program that exists and can be run', () => {
  const [program = ''] = all(unit, /^ExecStart=\/opt\/patchbay\/(\S+) serve$/gm);
  assert.notEqual(program, '');
  assert.notEqual(statSync(join(ROOT, program)).mode & 0o111, 0);
});
