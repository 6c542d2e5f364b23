import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openServeStage } from '../harness/serve-stage.ts';

const RECORDER = new URL('../harness/record-modules.child.ts', import.meta.url).href;

/** Packages that aren't loaded until someone uses what they're for. */
const LATER = [
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  'd3-scale',
  'd3-shape',
  'libphonenumber-js',
  'nodemailer',
  'oidc-provider',
  'pg',
  'typebox',
];

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const readPackages = (file: string): Set<string> =>
  new Set(
    [...readFileSync(file, 'utf8').matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\/(?!.*\/node_modules\/)/g)].map(
      ([, name = '']) => name,
    ),
  );

test('an unused service has loaded neither sandbox nor API browser, mail, charts or PostgreSQL', async (context) => {
  const stage = openServeStage(context);
  const directory = stage.newDirectory();
  const file = join(directory, 'modules.txt');
  const serving = await stage.serve({
    PATCHBAY_DATA: directory,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'patchbay@example.com',
    RECORD_MODULES: file,
    NODE_OPTIONS: `--import ${RECORDER}`,
  });
  await serving.ready();

  const atStart = readPackages(file);
  assert.ok(atStart.has('fastify') && atStart.has('ajv'), 'What is loaded is seen.');
  for (const name of LATER) {
    assert.ok(name in dependencies, `${name} is no dependency any more.`);
    assert.ok(!atStart.has(name), `${name} was loaded at the start.`);
  }

  for (const path of ['/healthz', '/readyz', '/sign-in']) assert.equal((await serving.fetch(path)).status, 200);
  for (const name of LATER) assert.ok(!readPackages(file).has(name), `${name} was loaded without need.`);

  const [one, other] = await Promise.all([serving.fetch('/openapi.json'), serving.fetch('/docs/')]);
  assert.deepEqual([one.status, other.status], [200, 200]);
  assert.ok(readPackages(file).has('@fastify/swagger-ui'), 'The first who browses the API loads it.');
  assert.equal((await serving.fetch('/sandbox/.well-known/openid-configuration')).status, 200);
  assert.ok(readPackages(file).has('oidc-provider'), 'The first who asks the sandbox loads it.');
});
