import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { Refusal, randomSecret, Secret } from '../../platform/index.ts';
import { extendKeyRing, type KeyRing, parseKeyRing, type Vault } from '../../vault/index.ts';
import { createPassingSeal } from '../../vault/passing-seal.ts';
import { type ConnectState, openState, sealState } from './connect-state.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const REDIRECT = 'https://patchbay.example/api/integrations/github/callback';

const vaultWith = (ring: KeyRing) => createPassingSeal({ current: () => ring, reload: () => ring }) as Vault;
const vault = vaultWith(parseKeyRing(new Secret(extendKeyRing(undefined))));

const SESSION = '019a8a5e-0000-7000-8000-000000000003';
const TOKEN = '019a8a5e-0000-7000-8000-000000000004';

/** As when no link led to the connect. */
const BEGUN = { begunAt: NOW, sessionId: null, tokenId: null };

const stateWith = (wish: Partial<ConnectState> = {}): ConnectState => ({
  nonce: randomSecret(),
  verifier: randomSecret(),
  userId: '019a8a5e-0000-7000-8000-000000000001',
  teamId: '019a8a5e-0000-7000-8000-000000000002',
  expiresAt: NOW + 600_000,
  binding: 'b'.repeat(64),
  scopes: null,
  returnTo: null,
  params: null,
  connection: 'default',
  replace: true,
  begun: BEGUN,
  ...wish,
});
const open = (sealed: string, now = NOW, redirect = REDIRECT) => openState(vault, redirect, sealed, now);
const refusedAs = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === `integrations.${code}`;

const GOOGLE = [
  'gmail.readonly',
  'gmail.send',
  'calendar.events',
  'drive.file',
  'spreadsheets',
  'documents',
  'contacts',
];
const longScopes = GOOGLE.flatMap((name) =>
  ['', '.readonly'].map((end) => `https://www.googleapis.com/auth/${name}${end}`),
);

test('a state from before connections had names is for the default one, and for no session', () => {
  const { nonce, verifier, userId, teamId, expiresAt, binding, scopes, returnTo, params } = stateWith();
  const content = [nonce, verifier, userId, teamId, expiresAt, binding, scopes, returnTo, params];
  const sealed = vault.sealPassing('connect state', [REDIRECT], Buffer.from(JSON.stringify(content)));
  const { connection, replace, begun } = open(sealed);
  assert.deepEqual({ connection, replace, begun }, { connection: 'default', replace: true, begun: BEGUN });
});

test('a state comes back unchanged', () => {
  const states = [
    stateWith(),
    stateWith({ binding: null, scopes: [], params: {} }),
    stateWith({ connection: 'work' }),
    stateWith({ replace: false }),
    stateWith({ begun: { ...BEGUN, sessionId: SESSION } }),
    stateWith({ connection: 'work', replace: false, begun: { ...BEGUN, sessionId: SESSION } }),
    stateWith({ begun: { ...BEGUN, tokenId: TOKEN } }),
    stateWith({ begun: { ...BEGUN, begunAt: NOW - 60_000 } }),
    stateWith({ begun: { begunAt: NOW - 60_000, sessionId: SESSION, tokenId: TOKEN } }),
    stateWith({ scopes: ['repo', 'read:user'], returnTo: '/done?x=ü', params: { shop: 'mine', __proto__x: 'y' } }),
  ];
  for (const state of states) assert.deepEqual(open(sealState(vault, REDIRECT, state)), state);
});

test('many long scopes still fit, and none of them can be read on the way', () => {
  const asked = { scopes: longScopes, returnTo: 'https://app.example/settings/integrations?tab=google' };
  const state = stateWith({ ...asked, begun: { ...BEGUN, sessionId: SESSION } });
  assert.ok(JSON.stringify(state).length > 1_000);
  const sealed = sealState(vault, REDIRECT, state);
  assert.ok(sealed.length <= 1_000, String(sealed.length));
  assert.match(sealed, /^[A-Za-z0-9._-]+$/);
  for (const word of [state.verifier, state.nonce, state.teamId, 'googleapis']) assert.ok(!sealed.includes(word), word);
  assert.deepEqual(open(sealed), state);
});

test("what doesn't fit is refused when the flow begins", () => {
  const scopes = Array.from({ length: 40 }, randomSecret);
  assert.throws(() => sealState(vault, REDIRECT, stateWith({ scopes })), refusedAs('request_too_long'));
});

test('long but repetitive input comes back, or is refused when the flow begins', () => {
  for (const count of [100, 1_000, 4_000]) {
    const state = stateWith({ scopes: Array.from({ length: count }, () => 'scope-of-a-provider') });
    let sealed: string;
    try {
      sealed = sealState(vault, REDIRECT, state);
    } catch (error) {
      assert.ok(refusedAs('request_too_long')(error), String(error));
      continue;
    }
    assert.deepEqual(open(sealed), state);
  }
});

test('whatever a connect request contains, its state fits in a URL and comes back, or the request is refused', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.nat({ max: 300 }).map((length) => 'ab'.repeat(length / 2)),
  );
  const wish = fc.record({
    scopes: fc.option(fc.array(text, { maxLength: 100, size: 'max' })),
    returnTo: fc.option(fc.webPath()),
    params: fc.option(fc.dictionary(fc.stringMatching(/^[a-z]{1,10}$/), text).map((params) => ({ ...params }))),
    binding: fc.option(fc.constant('b'.repeat(64))),
  });
  fc.assert(
    fc.property(wish, (wished) => {
      const state = stateWith(wished);
      try {
        const sealed = sealState(vault, REDIRECT, state);
        assert.ok(sealed.length <= 1_000);
        assert.deepEqual(open(sealed), state);
      } catch (error) {
        if (!refusedAs('request_too_long')(error)) throw error;
      }
    }),
    { numRuns: 300 },
  );
});

test("doesn't open at the callback of another provider or another service", () => {
  const sealed = sealState(vault, REDIRECT, stateWith());
  for (const redirect of [REDIRECT.replace('github', 'gitlab'), REDIRECT.replace('https', 'http'), `${REDIRECT}/`, ''])
    assert.throws(() => open(sealed, NOW, redirect), refusedAs('state_invalid'), redirect);
});

test('is refused as expired after ten minutes, and not before', () => {
  const sealed = sealState(vault, REDIRECT, stateWith());
  assert.ok(open(sealed, NOW + 599_999));
  for (const now of [NOW + 600_000, NOW + 1e12]) assert.throws(() => open(sealed, now), refusedAs('state_expired'));
});

test('is refused as invalid if it was changed, cut, made up or sealed elsewhere', () => {
  const sealed = sealState(vault, REDIRECT, stateWith());
  const stranger = vaultWith(parseKeyRing(new Secret(extendKeyRing(undefined))));
  const texts = [
    ...['', 'x', 'v1', 'v1.k1', 'v1.k1..', 'v1.k1.AAAA.AAAA', 'v2.k1.a.b', 'a.b.c.d.e', '\u0000', 'x'.repeat(1_001)],
    ...[
      sealed.slice(0, -4),
      `${sealed}AAAA`,
      `${sealed}.x`,
      sealed.replace('k1', 'k2'),
      sealed.split('.').reverse().join('.'),
    ],
    sealState(stranger, REDIRECT, stateWith()),
    vault.sealPassing('connect ticket', [REDIRECT], Buffer.from('[]')),
  ];
  for (const text of texts) assert.throws(() => open(text), refusedAs('state_invalid'), text.slice(0, 40));
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.throws(() => open(text), refusedAs('state_invalid'));
    }),
  );
});

test('two states of the same request share nothing visible', () => {
  const state = stateWith();
  assert.notEqual(sealState(vault, REDIRECT, state).slice(6, 40), sealState(vault, REDIRECT, state).slice(6, 40));
});
