import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandTokenCredential } from './verification-request.ts';

const sentAs = (credential?: { header: string; format: string }) =>
  expandTokenCredential(credential ? { credential } : {}, { access_token: 'a:+/' }).headers;

test('an access token can be the user name of Basic authentication', () => {
  const pair = Buffer.from('a:+/:').toString('base64');
  assert.deepEqual(sentAs({ header: 'Authorization', format: 'Basic {access_token}:' }), [
    ['Authorization', `Basic ${pair}`],
  ]);
});

test('an access token is a bearer token, or in a header as it is', () => {
  assert.deepEqual(sentAs(), [['authorization', 'Bearer a:+/']]);
  assert.deepEqual(sentAs({ header: 'X-Token', format: 'Token {access_token}' }), [['X-Token', 'Token a:+/']]);
});
