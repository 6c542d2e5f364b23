import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSlackAddress } from './slack-address.ts';

const GOOD = 'https://hooks.slack.com/services/T0/B0/x';

test("an address is Slack's with a path, or this machine's outside production", () => {
  assert.equal(parseSlackAddress(GOOD, { production: true })?.href, GOOD);
  assert.equal(parseSlackAddress('http://127.0.0.1:8065/hooks/x', { production: true }), null);
  assert.equal(parseSlackAddress('http://127.0.0.1:8065/hooks/x', { production: false })?.host, '127.0.0.1:8065');
});

test('nothing else is', () => {
  for (const text of [
    ...['', 'x', 'hooks.slack.com/services/T0', '//hooks.slack.com/x', 'javascript:alert(1)', 'file:///etc/passwd'],
    ...['https://hooks.slack.com', 'https://hooks.slack.com/', 'https://hooks.slack.com./services/T0', 'https://'],
    ...['https://example.com/x', 'https://hooks.slack.com.example.com/x', 'http://hooks.slack.com/services/T0'],
    ...['https://hooks.slack.com:8443/x', 'http://192.168.0.7/hooks/x'],
    ...['https://user@hooks.slack.com/x', 'https://:password@hooks.slack.com/x', `${GOOD}#fragment`],
  ])
    assert.equal(parseSlackAddress(text, { production: false }), null, text);
});
