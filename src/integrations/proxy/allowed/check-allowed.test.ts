import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Allowed } from '../../../http/index.ts';
import { findPermit } from './check-allowed.ts';

test('a path is taken apart once, however many patterns it is compared with', (t) => {
  const paths = Array.from({ length: 90 }, (_, at) => `/a/${at}`);
  const one = { provider: 'acme', connection: null, account: null, host: null, methods: ['GET'] };
  const allow: Allowed[] = Array.from({ length: 20 }, () => ({ ...one, paths: [...paths] }));
  const restriction = { can: [], allow, approvalMinutes: null, byOperator: false };
  const wanted = { ...one, method: 'GET', api: null, path: `/${'a/'.repeat(4_000)}` };
  const refuse = () => assert.throws(() => findPermit(restriction, wanted), { code: 'tokens.not_allowed' });
  // The patterns are parsed by the first request.
  refuse();
  const { split } = String.prototype;
  let splits = 0;
  t.mock.method(String.prototype, 'split', function (this: string, ...given: Parameters<typeof split>) {
    splits += this.length > 1_000 ? 1 : 0;
    return split.apply(this, given);
  });
  refuse();
  assert.ok(splits <= 1, `${splits} times`);
});
