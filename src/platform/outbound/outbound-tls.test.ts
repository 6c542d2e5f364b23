import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import {
  expectFailure,
  secretRequest,
  startTestInternet,
  type TestInternet,
} from '../../../test/harness/test-internet.ts';

/** Uses the settings outside production, which allow the most. */
describe('the certificate of the other side', () => {
  let internet: TestInternet;

  beforeEach(async () => {
    internet = await startTestInternet((_request, response) => response.end('hello'), { allowPrivate: true });
  });

  /** The request is never sent to a server that hasn't proved its name. */
  afterEach(async () => {
    assert.deepEqual(internet.asked, []);
    assert.equal(internet.dialled.length, 1);
    await internet.allClosed();
    await internet.close();
  });

  test('must match the requested host', async () => {
    const request = internet.outbound.request({ ...secretRequest, url: 'https://other.test/' });
    await expectFailure(request, 'network');
    await assert.rejects(request, {
      message: 'The request to other.test failed: the connection failed (ERR_TLS_CERT_ALTNAME_INVALID).',
    });
  });

  test('must match the address if the host is an address', async () => {
    await expectFailure(internet.outbound.request({ ...secretRequest, url: 'https://93.184.215.14/' }), 'network');
  });

  test('must come from an authority that this machine trusts', async () => {
    setDefaultCACertificates([]);
    await expectFailure(internet.outbound.request(secretRequest), 'network');
  });

  test('is checked even if the environment tells Node not to', async (context) => {
    setDefaultCACertificates([]);
    context.mock.method(process, 'emitWarning', () => undefined);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    context.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    await expectFailure(internet.outbound.request(secretRequest), 'network');
  });

  test('is checked for the operator’s addresses too', async () => {
    await expectFailure(
      internet.outbound.request({ ...secretRequest, url: 'https://other.test/', trusted: true }),
      'network',
    );
  });
});
