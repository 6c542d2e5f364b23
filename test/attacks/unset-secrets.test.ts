import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { type Operation, readOperations } from '../harness/operations.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';

const UNSET = {
  PATCHBAY_ADMIN_TOKEN: '',
  CRON_SECRET: '',
  DEBUG_TOKEN: '',
  METRICS_TOKEN: '',
  PATCHBAY_OPERATOR_TOKEN: '',
};

/** What a template or script makes of an unset variable. */
const LEFTOVERS = [
  'undefined',
  'null',
  '',
  ' ',
  '[secret]',
  '[object Object]',
  '$DEBUG_TOKEN',
  ...Object.values(SECRETS),
];

const HIDDEN = ['/api/debug/db', '/metrics', '/api/operator/teams'];

const cronRoute: Routes = (server) => {
  const access = { door: 'cron', whenUnset: 'unavailable' } as const;
  server.get('/api/cron/probe', { config: { access }, schema: { response: {} } }, () => 'ran');
};

describe('an unset secret', () => {
  const stage = useStage(() =>
    createTestApp('sqlite', { env: { ...UNSET, NODE_ENV: 'production' }, routes: [cronRoute] }),
  );
  let operations: Operation[];

  before(async () => {
    ({ operations } = await readOperations(stage.server));
  });

  const call = async (url: string, token: string | null, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return toAnswer(await stage.server.inject({ method, url, headers }));
  };

  test('hides the debug, metrics, and operator endpoints as if they did not exist, whatever is presented', async () => {
    for (const path of HIDDEN) {
      for (const token of [null, ...LEFTOVERS]) {
        const hidden = await call(path, token);
        expectProblem(hidden, 404, `${path} with ${token}`);
        assert.deepEqual(withoutRequestId(hidden), withoutRequestId(await call(`${path}-unknown`, token)));
      }
    }
  });

  test('hides them from other methods too, which would reveal that something is there', async () => {
    for (const path of HIDDEN) {
      for (const method of ['HEAD', 'POST'] as const) {
        const hidden = await call(path, null, method);
        const unknown = await call(`${path}-unknown`, null, method);
        assert.deepEqual(withoutRequestId(hidden), withoutRequestId(unknown), `${method} ${path}`);
      }
    }
  });

  test('keeps the cron endpoints closed and says that they are not set up', async () => {
    const doors = operations.filter(({ wants }) => wants === 'cron');
    assert.ok(doors.length > 0);
    for (const { path } of doors) {
      for (const token of [null, ...LEFTOVERS]) {
        assert.equal(expectProblem(await call(path, token), 503, path).code, 'cron.not_configured');
      }
    }
  });

  test('makes nobody an admin', async () => {
    for (const token of LEFTOVERS) expectProblem(await call('/api/team', token), 401, `with "${token}"`);
  });
});
