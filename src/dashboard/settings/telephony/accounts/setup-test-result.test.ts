import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setupTestResult } from './setup-test-result.ts';

const PUBLIC = 'https://phones.example.com';
const LOCAL = 'http://localhost:3000';

const resultOf = (...[found, url]: [Parameters<typeof setupTestResult>[0], string]): string =>
  setupTestResult(found, url, 'Vendor')
    .toString()
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');

describe('what a setup test found', () => {
  test('is good news where the URL is public', () => {
    const text = resultOf({ outcome: 'works' }, PUBLIC);
    assert.match(text, /This side works\..*Yes The public URL reaches Patchbay/);
    assert.doesNotMatch(text, /No /);
  });

  test('says that no provider can reach a URL of this machine, though the test itself could', () => {
    const text = resultOf({ outcome: 'works' }, LOCAL);
    assert.match(text, /works on this machine, but Vendor can't reach it yet/);
    assert.match(text, /No The public URL reaches Patchbay http:\/\/localhost:3000 only works on this machine/);
    assert.match(text, /Yes The URL arrives unchanged.*Yes A signed request is verified/);
  });

  test('says what else is wrong on this machine', () => {
    const text = resultOf({ outcome: 'signature_refused', reason: 'missing' }, LOCAL);
    assert.match(text, /This doesn't work yet\./);
    assert.match(text, /No The public URL reaches Patchbay.*No A signed request is verified/);
    const unreachable = resultOf({ outcome: 'unreachable', detail: 'Connection refused.' }, LOCAL);
    assert.equal(unreachable.match(/The public URL reaches Patchbay/g)?.length, 1);
    assert.match(unreachable, /Nothing responds at/);
  });
});
