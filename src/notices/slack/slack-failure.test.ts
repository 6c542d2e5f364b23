import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOfError, failureOfResponse } from './slack-failure.ts';

const kindOf = (status: number, body = '', headers = {}) =>
  failureOfResponse({ status, headers, body: Buffer.from(body) })?.kind ?? 'taken';
const wordsOf = (status: number, body: string) =>
  failureOfResponse({ status, headers: {}, body: Buffer.from(body) })?.problem ?? '';

test('a response from Slack is accepted, refused, unclear, or tried again later', () => {
  for (const status of [200, 201, 204]) assert.equal(kindOf(status), 'taken');
  for (const status of [429, 500, 503]) assert.equal(kindOf(status), 'later');
  for (const status of [408, 502, 504]) assert.equal(kindOf(status), 'unclear');
  for (const status of [301, 302, 400, 401, 403, 404, 410]) assert.equal(kindOf(status), 'refused');
});

test('waits as long as Slack asks for, if that can be read', () => {
  const waitOf = (header: string) =>
    failureOfResponse({ status: 429, headers: { 'retry-after': header }, body: Buffer.alloc(0) })?.retryAfterMs;
  assert.equal(waitOf('30'), 30_000);
  for (const header of ['', '-1', '1e9', '9999999', 'soon']) assert.equal(waitOf(header), undefined);
});

test('a refusal says what to do, by Slack’s error code or else by its status', () => {
  assert.match(wordsOf(404, 'no_service'), /Create a new incoming webhook/);
  assert.match(wordsOf(404, 'channel_not_found\n'), /Slack channel was archived or deleted/);
  assert.match(wordsOf(410, 'channel_is_archived'), /Slack channel was archived or deleted/);
  assert.match(wordsOf(403, 'action_prohibited'), /Ask a workspace admin to allow it/);
  assert.match(wordsOf(403, 'something new'), /Ask a workspace admin to allow it/);
  assert.equal(wordsOf(400, 'invalid_payload'), 'Slack refused the message (400).');
});

test('shows nothing that Slack wrote', () => {
  for (const body of ['constructor', '__proto__', '<b>secret</b>', 'T0/B0/secret'])
    for (const status of [400, 403, 404, 429, 500])
      assert.doesNotMatch(wordsOf(status, body), /secret|function|\[object|undefined/);
});

test('a lost connection is unclear once the message was on its way, and harmless before', () => {
  assert.equal(failureOfError({ reason: 'timeout', sent: true }).kind, 'unclear');
  assert.equal(failureOfError({ reason: 'timeout', sent: false }).kind, 'later');
  assert.equal(failureOfError({ reason: 'network', sent: false }).kind, 'later');
  assert.equal(failureOfError({ reason: 'refused_address', sent: false }).kind, 'refused');
});
