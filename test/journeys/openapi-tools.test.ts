import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { run } from '../harness/packed-client.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';

const DOCUMENT = resolve('openapi.json');
const MODULES = resolve('node_modules');
const NO_CALLS_HOME = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
};

test('Redocly has nothing to say about the description of the API', async () => {
  const args = [join(MODULES, '@redocly/cli/bin/cli.js'), 'lint', '--format', 'json', 'openapi.json'];
  const { totals } = JSON.parse(await run(process.execPath, args, resolve('.'), NO_CALLS_HOME));
  // Ids of events begin with "evt_", so none of them is "endpoints".
  assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 4 });
});

test('a client that is generated from it has sound types, also for the events that endpoints receive', async (context) => {
  const { path, remove } = makeTestDirectory('patchbay-generated-');
  context.after(remove);
  const generator = join(MODULES, '@hey-api/openapi-ts/dist/run.mjs');
  const hook = resolve('test/harness/typescript-hook.mjs');
  await run(process.execPath, ['--import', hook, generator, '-i', DOCUMENT, '-o', join(path, 'client')], path);
  writeFileSync(
    join(path, 'use.ts'),
    `import { type Call, getCalls, type OnCallMissedWebhookPayload } from './client';
     export const list = async (): Promise<Call[]> => (await getCalls()).data?.calls ?? [];
     export const callerOf = ({ data }: OnCallMissedWebhookPayload): string | null =>
       'truncated' in data ? null : data.from;
     // @ts-expect-error: There is no such field.
     export const nothing = ({ data }: OnCallMissedWebhookPayload) => data.nothing;
    `,
  );
  writeFileSync(
    join(path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['use.ts', 'client'] }),
  );
  await run(join(MODULES, '.bin/tsc'), ['-p', '.'], path);
});
