import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { Secret } from '../../platform/index.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { FullRecord, ResponseFields } from '../catalogue/provider.ts';
import { errorCodeOf, parseResponseBody, readTokens, type Tokens } from './token-response.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: [],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
};

const entries = [...loadCatalogue({ customFile: null, production: true }).values()].flatMap(({ record }) =>
  'authorize' in record ? [record] : [],
);
const entryOf = (id: string): FullRecord => {
  const found = entries.find((entry) => entry.id === id);
  assert.ok(found, id);
  return found;
};

const read = (response: unknown, fields?: ResponseFields, record = vendor) => {
  const tokens = readTokens(record, fields, response, NOW);
  return { tokens, code: tokens ? null : errorCodeOf(response, record) };
};
const tokensOf = (response: unknown, fields?: ResponseFields, record = vendor): Tokens => {
  const { tokens } = read(response, fields, record);
  assert.ok(tokens, JSON.stringify(response));
  return tokens;
};
const expiryOf = (told: object, fields?: ResponseFields) => tokensOf({ access_token: 'a', ...told }, fields).expiresAt;

const jwtWith = (claims: string): string =>
  [`{"alg":"none"}`, claims, 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');

describe('around a response', () => {
  test('a byte order mark and line breaks are ignored', () => {
    assert.deepEqual(parseResponseBody('\uFEFF{"access_token":"abc"}\r\n'), { access_token: 'abc' });
    assert.deepEqual(parseResponseBody('access_token=abc&scope=a\n'), { access_token: 'abc', scope: 'a' });
  });

  test('a time without a zone is in UTC, wherever the service runs', () => {
    const expiry = { access_token: 'abc', expires_at: '2026-11-15T13:00:00' };
    assert.equal(read(expiry).tokens?.expiresAt, NOW + HOUR_MS);
  });
});

describe('a response without a token', () => {
  const record: FullRecord = {
    ...vendor,
    errors: { okField: 'ok' },
    refresh: { rotates: 'never', extended: { result: '0000', 'data.state': '1' }, response: { defaultExpiresIn: 60 } },
  };
  const held = new Secret('held');
  const extend = (response: unknown, of = record) => readTokens(of, of.refresh?.response, response, NOW, held);
  const extended = { result: '0000', data: { state: 1 } };

  test('extends the one that we hold if it says so exactly, and nothing else changes', () => {
    const tokens = extend(extended);
    assert.equal(tokens?.accessToken.reveal(), 'held');
    const { accessToken: _, ...rest } = tokens ?? {};
    const unsaid = { refreshToken: null, refreshExpiresAt: null, scopes: null, kept: {} };
    assert.deepEqual(rest, { ...unsaid, expiresAt: NOW + 60_000 });
    assert.equal(extend({ ...extended, expires_in: 120 })?.expiresAt, NOW + 120_000, 'It may say until when.');
  });

  test('extends nothing if it says anything else, or nothing is held', () => {
    const others = [
      ...[null, 'OK', [], {}, { result: '0000' }, { ...extended, result: '00001' }, { ...extended, result: 0 }],
      ...[
        { ...extended, data: { state: 11 } },
        { ...extended, ok: false },
        { ...extended, result: ['0000'] },
      ],
    ];
    for (const response of others) assert.equal(extend(response), null, JSON.stringify(response));
    assert.equal(extend(extended, { ...record, refresh: { rotates: 'never' } }), null);
    assert.equal(readTokens(record, undefined, extended, NOW), null);
  });

  test('is not what one with a token is', () => {
    assert.equal(extend({ ...extended, access_token: 'new' })?.accessToken.reveal(), 'new');
  });
});

describe('where the tokens are', () => {
  test('in a plain response, with an odd token_type or none', () => {
    for (const type of [{}, { token_type: 'bot' }, { token_type: null }]) {
      const { accessToken, refreshToken } = tokensOf({ access_token: 'abc', refresh_token: 'def', ...type });
      assert.equal(accessToken.reveal(), 'abc');
      assert.equal(refreshToken?.reveal(), 'def');
    }
  });

  test('nested under a root, deeper, or in a list', () => {
    const cases: [ResponseFields, unknown][] = [
      [{ roots: ['authed_user'] }, { ok: true, authed_user: { access_token: 'abc', refresh_token: 'def' } }],
      [{ roots: ['', 'data[0]'] }, { data: [{ access_token: 'abc', refresh_token: 'def' }] }],
      [
        { roots: ['data'], accessToken: ['accessToken'], refreshToken: ['refreshToken'] },
        { code: 200, data: { accessToken: 'abc', refreshToken: 'def' } },
      ],
      [
        { accessToken: ['access_token.token'], refreshToken: ['access_token.refresh'] },
        { access_token: { token: 'abc', refresh: 'def' } },
      ],
    ];
    for (const [fields, response] of cases) {
      const { accessToken, refreshToken } = tokensOf(response, fields);
      assert.equal(accessToken.reveal(), 'abc', JSON.stringify(response));
      assert.equal(refreshToken?.reveal(), 'def', JSON.stringify(response));
    }
  });

  test('the first of several roots that has an access token is used for everything else too', () => {
    const fields = { roots: ['', 'authed_user'] };
    const user = { access_token: 'user', refresh_token: 'user-refresh', scope: 'user:read', expires_in: 60 };
    const both = tokensOf({ access_token: 'bot', scope: 'bot:write', authed_user: user }, fields);
    assert.equal(both.accessToken.reveal(), 'bot');
    assert.equal(both.refreshToken, null);
    assert.equal(both.expiresAt, null);
    assert.deepEqual(both.scopes, ['bot:write']);
    const alone = tokensOf({ access_token: '', scope: 'bot:write', authed_user: user }, fields);
    assert.equal(alone.accessToken.reveal(), 'user');
    assert.equal(alone.expiresAt, NOW + 60_000);
    assert.deepEqual(alone.scopes, ['user:read']);
  });

  test('under other names, if the entry says so', () => {
    const { accessToken, refreshToken, expiresAt } = tokensOf(
      { token: 'abc', refreshToken: 'def', expiresAt: '2026-11-15T20:00:00.000Z' },
      entryOf('sentry').token.response,
    );
    assert.equal(accessToken.reveal(), 'abc');
    assert.equal(refreshToken?.reveal(), 'def');
    assert.equal(expiresAt, Date.parse('2026-11-15T20:00:00Z'));
  });

  test('a refresh token that is absent, empty or null counts as none', () => {
    for (const told of [{}, { refresh_token: '' }, { refresh_token: null }, { refresh_token: {} }])
      assert.equal(tokensOf({ access_token: 'a', ...told }).refreshToken, null, JSON.stringify(told));
  });

  test('an access token that is absent, empty or not text counts as none', () => {
    for (const response of [{}, { access_token: '' }, { access_token: null }, { access_token: {} }, [], 'x', 7, null])
      assert.deepEqual(read(response), { tokens: null, code: null }, JSON.stringify(response));
  });

  test('wherever a catalog entry says, character for character', () => {
    const places = entries.flatMap((record) =>
      [record.token.response, record.token.upgrade?.response, record.refresh?.response].flatMap((fields) =>
        (fields?.roots ?? ['']).flatMap((root) =>
          (fields?.accessToken ?? ['access_token']).map((path) => ({ record, fields, root, path })),
        ),
      ),
    );
    assert.ok(places.length >= entries.length);
    const noise = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,5}$/), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.string({ unit: anyCharacter, minLength: 1 }),
        noise,
        ({ record, fields, root, path }, token, around) => {
          const response = plant(around, [root, path].filter(Boolean).join('.'), token);
          assert.equal(tokensOf(response, fields, record).accessToken.reveal(), token);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Builds `{ data: [{ token: value }] }` out of `data[0].token`. */
const plant = (around: object, path: string, value: string): unknown => {
  const inner = path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduceRight<unknown>((held, step) => (/^\d+$/.test(step) ? [held] : { [step]: held }), value);
  return { ...around, ...(inner as object) };
};

describe('when the access token expires', () => {
  test('a duration is counted from now', () => {
    assert.equal(expiryOf({ expires_in: 3600 }), NOW + HOUR_MS);
    assert.equal(expiryOf({ expires_in: '3600' }), NOW + HOUR_MS);
    assert.equal(expiryOf({ expires_in: 3599.5 }), NOW + 3_599_500);
    assert.equal(expiryOf({ expires_in: 3_600_000 }, { expiresUnit: 'milliseconds' }), NOW + HOUR_MS);
  });

  test("a missing, zero, negative or nonsensical duration means that the provider didn't say", () => {
    for (const expires_in of [undefined, null, 0, '0', -1, '-3600', '', ' ', 'soon', 'NaN', 'Infinity', {}, [], true])
      assert.equal(expiryOf({ expires_in }), null, JSON.stringify(expires_in));
  });

  test('a huge duration is capped at a century', () => {
    for (const expires_in of [1e12, Number.MAX_SAFE_INTEGER, 1e300, '9'.repeat(300)]) {
      const expiresAt = expiryOf({ expires_in });
      assert.ok(expiresAt !== null && expiresAt > NOW + 99 * YEAR_MS && expiresAt < NOW + 101 * YEAR_MS);
    }
  });

  test('a time in seconds, milliseconds or ISO 8601', () => {
    const at = Date.parse('2026-11-15T18:30:00Z');
    const spellings = [
      at / 1000,
      String(at / 1000),
      at,
      String(at),
      '2026-11-15T18:30:00Z',
      '2026-11-15T20:30:00+02:00',
    ];
    for (const expires_at of spellings) assert.equal(expiryOf({ expires_at }), at, String(expires_at));
  });

  test('a nonsensical time is ignored', () => {
    for (const expires_at of [0, -1, '', 'never', null, 1e300, '9999999999999999', '-271821-04-20T00:00:00Z'])
      assert.equal(expiryOf({ expires_at }), null, String(expires_at));
  });

  test('a duration takes precedence over a time, so that only our own clock matters', () => {
    assert.equal(expiryOf({ expires_in: 60, expires_at: (NOW + HOUR_MS) / 1000 }), NOW + 60_000);
    assert.equal(expiryOf({ expires_in: 0, expires_at: (NOW + HOUR_MS) / 1000 }), NOW + HOUR_MS);
  });

  test('a JWT is decoded only if the entry says so and nothing else gives the expiry', () => {
    const exp = NOW / 1000 + 7200;
    const access_token = jwtWith(JSON.stringify({ exp }));
    assert.equal(expiryOf({ access_token }), null);
    assert.equal(expiryOf({ access_token }, { expiryFromJwt: true }), exp * 1000);
    assert.equal(expiryOf({ access_token, expires_in: 60 }, { expiryFromJwt: true }), NOW + 60_000);
  });

  test('a JWT with an absurd expiry, or something that is not a JWT, is ignored', () => {
    const foolish = ['1e999', '1e300', '-5', '0', '"soon"', 'null', '{}'].map((exp) => jwtWith(`{"exp":${exp}}`));
    for (const access_token of [...foolish, jwtWith('[]'), jwtWith('no json'), 'opaque', 'a.b.c', '...'])
      assert.equal(expiryOf({ access_token }, { expiryFromJwt: true }), null, access_token);
  });

  test("the entry's default applies if the provider doesn't say", () => {
    const fields = { expiryFromJwt: true, defaultExpiresIn: 3600 };
    assert.equal(expiryOf({}, fields), NOW + HOUR_MS);
    assert.equal(expiryOf({ expires_in: 0 }, fields), NOW + HOUR_MS);
    assert.equal(expiryOf({ expires_in: 60 }, fields), NOW + 60_000);
  });

  test('the expiry of the refresh token is read under each of its names, as whole milliseconds', () => {
    for (const name of ['refresh_token_expires_in', 'x_refresh_token_expires_in', 'refresh_expires_in'])
      assert.equal(tokensOf({ access_token: 'a', [name]: '60' }).refreshExpiresAt, NOW + 60_000, name);
    assert.equal(tokensOf({ access_token: 'a', refresh_token_expires_in: 0 }).refreshExpiresAt, null);
    const { refreshExpiresAt } = tokensOf({ access_token: 'a', refresh_token_expires_in: 60.00025 });
    assert.ok(Number.isInteger(refreshExpiresAt), String(refreshExpiresAt));
  });
});

describe('which scopes were granted', () => {
  test('as text with spaces or commas, as a list, or under the other name', () => {
    const cases: object[] = [
      { scope: 'read write' },
      { scope: 'read,write' },
      { scope: ' read,  write ' },
      { scope: ['read', 'write'] },
      { scope: ['read', null, 7, 'write'] },
      { scopes: 'read write' },
      { scope: null, scopes: ['read', 'write'] },
    ];
    for (const told of cases)
      assert.deepEqual(tokensOf({ access_token: 'a', ...told }).scopes, ['read', 'write'], JSON.stringify(told));
  });

  test('saying nothing is not the same as granting nothing', () => {
    assert.equal(tokensOf({ access_token: 'a' }).scopes, null);
    assert.equal(tokensOf({ access_token: 'a', scope: null }).scopes, null);
    assert.equal(tokensOf({ access_token: 'a', scope: {} }).scopes, null);
    assert.deepEqual(tokensOf({ access_token: 'a', scope: '' }).scopes, []);
    assert.deepEqual(tokensOf({ access_token: 'a', scope: [] }).scopes, []);
  });
});

describe('what else is kept', () => {
  const keep = { team_id: 'team.id', number: 'athlete.id', absent: 'nowhere.at.all' };

  test('keeps text and numbers from anywhere in the response, under our names', () => {
    const { kept } = tokensOf({ access_token: 'a', team: { id: 'T1' }, athlete: { id: 42 } }, { keep });
    assert.deepEqual(kept, { team_id: 'T1', number: '42' });
  });

  test('leaves out what is empty, oversized or not text', () => {
    const kept = (id: unknown) => tokensOf({ access_token: 'a', team: { id } }, { keep }).kept;
    assert.deepEqual(kept('x'.repeat(2_000)), { team_id: 'x'.repeat(2_000) });
    for (const id of ['x'.repeat(2_001), '', null, {}, [], true])
      assert.deepEqual(kept(id), {}, String(id).slice(0, 9));
  });
});

describe('names that every JavaScript object has', () => {
  test('have no effect in a response', () => {
    const response = parseResponseBody(
      '{"__proto__":{"access_token":"planted","polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
    );
    assert.deepEqual(read(response), { tokens: null, code: null });
    tokensOf({ access_token: 'a', ...(response as object) }, { keep: { polluted: '__proto__.polluted' } });
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.equal(read(parseResponseBody('__proto__=x&constructor=y')).tokens, null);
  });

  test("find only the response's own fields in a path", () => {
    for (const path of ['constructor.name', '__proto__.constructor.name', 'toString.name', 'access_token.length']) {
      assert.equal(read({ access_token: 'a' }, { accessToken: [path] }).tokens, null, path);
      assert.deepEqual(tokensOf({ access_token: 'a' }, { keep: { found: path } }).kept, {}, path);
    }
    const own = tokensOf({ access_token: 'a', constructor: { name: 'mine' } }, { keep: { found: 'constructor.name' } });
    assert.deepEqual(own.kept, { found: 'mine' });
  });
});

describe('a refusal', () => {
  test('is a response without tokens, whatever its status, with its code in the usual places', () => {
    const cases: [unknown, string | null][] = [
      [{ error: 'bad_verification_code', error_description: 'The code is wrong.' }, 'bad_verification_code'],
      [{ error: { code: 190, type: 'OAuthException' } }, '190'],
      [{ error: { type: 'OAuthException' } }, 'OAuthException'],
      [{ errorCode: 'invalid_token' }, 'invalid_token'],
      [{ code: 40_001 }, '40001'],
      [{ message: 'no' }, null],
    ];
    for (const [response, code] of cases)
      assert.deepEqual(read(response), { tokens: null, code }, JSON.stringify(response));
  });

  test('a field that says no takes precedence over a token', () => {
    const slack = entryOf('slack');
    const refusal = { ok: false, error: 'invalid_refresh_token', access_token: 'xoxb-secret' };
    assert.deepEqual(read(refusal, slack.token.response, slack), { tokens: null, code: 'invalid_refresh_token' });
    assert.equal(read({ ok: false, access_token: 'a' }, slack.token.response, slack).tokens, null);
    assert.equal(errorCodeOf({ ok: false }, slack), 'unnamed');
    assert.equal(errorCodeOf({ ok: true }, slack), null);
    assert.ok(tokensOf({ ok: true, access_token: 'a' }, slack.token.response, slack));
  });

  test("the entry's places replace the usual ones", () => {
    const record = { ...vendor, errors: { code: ['status.reason'] } };
    assert.equal(errorCodeOf({ error: 'usual', status: { reason: 'own' } }, record), 'own');
    assert.equal(errorCodeOf({ error: 'usual' }, record), null);
  });

  test('its code never contains a token from the response', () => {
    const refusing = { ...vendor, errors: { okField: 'ok' } };
    const token = fc.stringMatching(/^tok_[A-Za-z0-9]{12,40}$/);
    const code = fc.option(fc.oneof(fc.stringMatching(/^[a-z_]{1,20}$/), fc.integer(), fc.object()), {
      nil: undefined,
    });
    fc.assert(
      fc.property(token, code, (secret, error) => {
        const pair = { access_token: secret, refresh_token: secret };
        const response = { ...pair, ok: false, error, authed_user: pair, data: pair };
        const { tokens, code } = read(response, { roots: ['', 'authed_user', 'data'] }, refusing);
        assert.equal(tokens, null);
        assert.ok(code !== null && !code.includes(secret));
      }),
    );
  });
});

describe('a body', () => {
  test('is read as JSON or as a form', () => {
    assert.deepEqual(parseResponseBody('{"access_token":"a"}'), { access_token: 'a' });
    assert.deepEqual(parseResponseBody('access_token=gho_a%2Bb&scope=repo%2Cgist&token_type=bearer'), {
      access_token: 'gho_a+b',
      scope: 'repo,gist',
      token_type: 'bearer',
    });
    const form = tokensOf(parseResponseBody('access_token=a&scope=repo%2Cgist&expires_in=60'));
    assert.deepEqual(form.scopes, ['repo', 'gist']);
    assert.equal(form.expiresAt, NOW + 60_000);
    assert.deepEqual(read(parseResponseBody('error=bad_verification_code&error_uri=https%3A%2F%2Fa.example')), {
      tokens: null,
      code: 'bad_verification_code',
    });
  });

  test('is not read if it is a page, a sentence or empty', () => {
    const page = '<!doctype html><a href="/?access_token=a">';
    for (const body of ['', ' ', 'OK', page, '<a>=b', 'Something = went wrong', 'a=<script>', '{"access_token":'])
      assert.equal(parseResponseBody(body), null, body);
  });
});

const KEYS = ['access_token', 'refresh_token', 'scope', 'expires_in', 'expires_at', 'refresh_token_expires_in'];
const MORE_KEYS = ['error', 'ok', 'data', 'authed_user', '__proto__', 'constructor', 'code', 'team'];

test('any JSON gives no tokens, or a token and times that can be stored', () => {
  const odd = fc.constantFrom('1e999', '-1e999', '1e-9', '1e308', '0.1', '[]', '""', 'null', '"\\ud800"');
  const jwt = fc.oneof(odd, fc.double().map(String)).map((exp) => jwtWith(`{"exp":${exp}}`));
  const number = fc.oneof(fc.double(), fc.integer(), fc.double().map(String), fc.integer().map(String));
  const leaf = fc.oneof(fc.jsonValue(), number, jwt, fc.string(), fc.date().map(String));
  const flat = fc.dictionary(fc.constantFrom(...KEYS, ...MORE_KEYS), leaf);
  const responses = fc.oneof(flat, fc.dictionary(fc.constantFrom(...KEYS, ...MORE_KEYS), fc.oneof(leaf, flat)), leaf);
  const everything: FullRecord = {
    ...vendor,
    errors: { okField: 'ok' },
    token: {
      url: 'https://vendor.example/token',
      response: {
        roots: ['', 'data', 'data[0]'],
        expiryFromJwt: true,
        keep: { team: 'team.id', expires: 'expires_in' },
      },
    },
  };
  const inMilliseconds = { ...vendor, token: { ...vendor.token, response: { expiresUnit: 'milliseconds' as const } } };
  fc.assert(
    fc.property(
      fc.constantFrom(...entries, everything, everything, inMilliseconds, vendor),
      responses,
      (record, response) => {
        const code = errorCodeOf(response, record);
        assert.ok(code === null || typeof code === 'string');
        const tokens = readTokens(record, record.token.response, response, NOW);
        if (!tokens) return;
        assert.notEqual(tokens.accessToken.reveal(), '');
        assert.notEqual(tokens.refreshToken?.reveal(), '');
        for (const instant of [tokens.expiresAt, tokens.refreshExpiresAt])
          assert.ok(instant === null || Number.isSafeInteger(instant), String(instant));
        assert.ok(tokens.scopes === null || tokens.scopes.every((scope) => typeof scope === 'string'));
        for (const value of Object.values(tokens.kept)) assert.ok(typeof value === 'string' && value.length <= 2_000);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('reading any text never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), fc.webQueryParameters()), (body) => {
      read(parseResponseBody(body));
    }),
    { numRuns: 500 },
  );
});
