import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createLog, findSecrets, optional, secretText } from '../platform/index.ts';
import { extendKeyRing } from '../vault/index.ts';
import { loadConfig, readConfig, summarizeConfig } from './config.ts';
import { ConfigRefused } from './config-refused.ts';
import { settings } from './settings.ts';

const key = extendKeyRing(undefined);
const secret = (name: string) => `${name}-0123456789abcdefghij`;
const production = {
  NODE_ENV: 'production',
  PATCHBAY_KEYS: key,
  CRON_SECRET: secret('cron'),
  DEBUG_TOKEN: secret('debug'),
};

const refusedLines = (values: Record<string, string>): readonly string[] => {
  try {
    readConfig(values);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigRefused);
    return error.lines;
  }
};

describe('settings', () => {
  test('have defaults', () => {
    const config = readConfig({});
    assert.equal(config.port, 3000);
    assert.equal(config.url, 'http://localhost:3000');
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.production, false);
  });

  test('treat an empty value as unset', () => {
    assert.equal(readConfig({ PORT: '', DEBUG_TOKEN: '  ' }).port, 3000);
    assert.equal(readConfig({ DEBUG_TOKEN: '  ' }).debugToken, null);
  });

  test('name a collector of spans, with credentials in its headers alone', () => {
    const collectorOf = (endpoint: string) =>
      readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=canary%2C1' }).collector;
    assert.equal(readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=canary' }).collector, null);
    for (const [endpoint, url] of [
      ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
      ['https://collector.example/otlp/', 'https://collector.example/otlp/v1/traces'],
    ] as const) {
      const collector = collectorOf(endpoint);
      assert.deepEqual([collector?.url, collector?.serviceName], [url, 'patchbay']);
      assert.deepEqual(
        findSecrets(collector).map((secret) => secret.reveal()),
        ['api-key=canary%2C1', 'canary%2C1', 'canary,1'],
      );
    }
    const wrong = ['localhost:4318', 'grpc://h', 'http://user:canary@h', 'http://h?key=canary', 'http://h#canary'];
    for (const endpoint of wrong) {
      const [line = '', ...others] = refusedLines({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
      assert.match(line, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address/, endpoint);
      assert.deepEqual([others, line.includes('canary')], [[], false]);
    }
    for (const headers of ['canary', 'a b=canary', 'a=canary%', 'a=%0acanary', 'a=canary,', '=canary', 'a=%E2%82%AC'])
      assert.deepEqual(refusedLines({ OTEL_EXPORTER_OTLP_HEADERS: headers }), [
        'OTEL_EXPORTER_OTLP_HEADERS must be a list like api-key=secret,x-other=1, with percent-encoding in the values.',
      ]);
  });

  test('name a transcription server, whose address may be short', () => {
    const transcriberOf = (url: string) => readConfig({ TRANSCRIBE_URL: url, TRANSCRIBE_KEY: 'canary' }).transcriber;
    assert.equal(readConfig({}).transcriber, null);
    for (const [address, url] of [
      ['http://localhost:8080', 'http://localhost:8080/v1/audio/transcriptions'],
      ['https://api.openai.com/v1/', 'https://api.openai.com/v1/audio/transcriptions'],
      ['http://10.0.0.7:9000/inference', 'http://10.0.0.7:9000/inference'],
    ] as const)
      assert.deepEqual([transcriberOf(address)?.url, transcriberOf(address)?.model], [url, 'whisper-1']);
    for (const address of ['localhost:8080', 'ftp://h', 'http://user:canary@h', 'http://h?key=canary'])
      assert.match(refusedLines({ TRANSCRIBE_URL: address })[0] ?? '', /^TRANSCRIBE_URL must be an http or https/);
    assert.match(refusedLines({ TRANSCRIBE_KEY: 'canary' })[0] ?? '', /^TRANSCRIBE_URL must be set/);
  });

  test('accept all of a bucket, or none', () => {
    const whole = {
      S3_ENDPOINT: 'http://127.0.0.1:9000',
      S3_BUCKET: 'calls',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret-of-the-bucket',
    };
    assert.equal(readConfig({}).bucket, null);
    assert.equal(readConfig(whole).bucket?.region, 'us-east-1');
    assert.ok(!JSON.stringify(readConfig(whole).bucket).includes('secret-of-the-bucket'));
    for (const name of Object.keys(whole)) {
      const lines = refusedLines({ ...whole, [name]: '' });
      assert.deepEqual(lines, [`${name} must be set if the other bucket settings are. Set all of them, or none.`]);
    }
    assert.deepEqual(refusedLines({ S3_REGION: 'eu-central-1' }), []);
  });

  test('report each bad value in one line, with what is expected, and without the value', () => {
    const bad = {
      PORT: 'many-ports',
      PATCHBAY_URL: 'example.com/path',
      DATABASE_URL: 'mysql://user:hunter2hunter2@host/db',
      PATCHBAY_KEYS: 'k1:notakey',
      PATCHBAY_ADMIN_TOKEN: 'short',
      PATCHBAY_RETURN_ORIGINS: 'https://a.example,javascript:alert(1)',
      PATCHBAY_TRUSTED_PROXIES: '10.0.0.0/99',
      LOG_LEVEL: 'loud',
    };
    const lines = refusedLines(bad);
    assert.equal(lines.length, Object.keys(bad).length);
    for (const [name, value] of Object.entries(bad)) {
      const line = lines.find((one) => one.startsWith(`${name} must be `));
      assert.ok(line, name);
      assert.ok(!line.includes(value), line);
      assert.ok(!line.includes('\n'));
    }
  });

  test('accept a list of secrets, for rotation', () => {
    const { cronSecrets } = readConfig({ CRON_SECRET: 'first-one, second-one' });
    assert.deepEqual(
      cronSecrets.map((one) => one.reveal()),
      ['first-one', 'second-one'],
    );
  });

  test('accept a sender with or without a name', () => {
    for (const from of [
      'pb@example.com',
      '<pb@localhost>',
      'Patchbay <pb@example.com>',
      '"Acme, Inc." <pb@example.com>',
    ])
      assert.equal(readConfig({ MAIL_FROM: from }).mailFrom, from);
    for (const none of [
      'Patchbay',
      'example.com',
      'Patchbay pb@example.com',
      'pb@',
      'a@b.example, c@d.example',
      'Acme, Inc. <pb@example.com>',
      'Patchbay <Patchbay>',
    ])
      assert.match(refusedLines({ MAIL_FROM: none }).join(), /^MAIL_FROM must be an email address/, none);
  });

  test('require an audience for an identity provider', () => {
    assert.match(refusedLines({ AUTH_ISSUER: 'https://id.example' }).join(), /AUTH_AUDIENCE/);
  });

  test('only accept an identity provider on https, or on this machine', () => {
    const withIssuer = (issuer: string) => ({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: 'patchbay' });
    for (const issuer of ['https://id.example', 'http://localhost:8080/realms/a', 'http://127.0.0.1:9'])
      assert.equal(readConfig(withIssuer(issuer)).authIssuer, issuer);
    for (const issuer of ['http://id.example', 'http://10.0.0.7', 'id.example'])
      assert.match(refusedLines(withIssuer(issuer)).join(), /^AUTH_ISSUER must be the https address/, issuer);
  });

  test('show in the summary which secrets are set, but never a value', () => {
    const printed = JSON.stringify(summarizeConfig(readConfig(production)));
    assert.match(printed, /CRON_SECRET/);
    assert.ok(!printed.includes(secret('cron')));
    assert.ok(!printed.includes(key.slice(3)));
  });
});

describe('the log', () => {
  const print = (config: object, fields: object): string => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    createLog({ level: 'info', secrets: findSecrets(config), shapes: [], destination }).info(fields, 'told');
    return lines.join('');
  };
  const declared = Object.values(settings)
    .filter((setting) => setting.secret)
    .map(({ name }) => [name, secret(name)]);
  const values: Record<string, string> = {
    ...Object.fromEntries(declared),
    PATCHBAY_KEYS: extendKeyRing(key),
    DATABASE_URL: 'postgresql://user:password-of-the-database@host/db',
    SMTP_URL: 'smtp://user:password-of-the-mail-server@host',
    MAIL_FROM: 'pb@example.com',
    S3_ENDPOINT: 'http://127.0.0.1:9000',
    S3_BUCKET: 'calls',
    S3_ACCESS_KEY_ID: 'id',
    TRANSCRIBE_URL: 'http://127.0.0.1:8080',
    CRON_SECRET: 'cron-secret-before,cron-secret-after',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=key-of-the-collector,x-team=team%20of-the-collector',
    OAUTH_GITHUB_CLIENT_SECRET: secret('client'),
    TELEPHONY_API_KEY: secret('api'),
  };

  test('strikes out every secret setting and its parts', () => {
    const names = [...declared.map(([name = '']) => name), 'OAUTH_GITHUB_CLIENT_SECRET', 'TELEPHONY_API_KEY'];
    const whole = names.flatMap((name) => values[name]?.split(',') ?? []);
    const keys = values['PATCHBAY_KEYS']?.split(',').map((one) => one.slice(3)) ?? [];
    const parts = [...keys, 'password-of-the-database', 'password-of-the-mail-server', 'team of-the-collector'];
    assert.ok(declared.length > 8);
    for (const text of [...whole, ...parts]) {
      const printed = print(readConfig(values), { note: `It was ${text}.` });
      assert.ok(!printed.includes(text), text);
      assert.match(printed, /It was .*\[secret\]/);
    }
    assert.match(print(readConfig({ OAUTH_GITHUB_CLIENT_ID: 'patchbay' }), { note: 'patchbay' }), /"note":"patchbay"/);
  });

  test('strikes out a new secret setting without any other change', () => {
    const more = { ...settings, extra: optional('EXTRA_SECRET', secretText(8)).about('A new one.') };
    const printed = print(readConfig({ EXTRA_SECRET: 'new-and-secret' }, more), { note: 'new-and-secret' });
    assert.match(printed, /"note":"\[secret\]"/);
  });
});

describe('production', () => {
  test('is turned on by NODE_ENV or a public address', () => {
    assert.equal(readConfig(production).production, true);
    assert.equal(readConfig(production).host, '0.0.0.0');
    const byAddress = readConfig({ ...production, NODE_ENV: '', PATCHBAY_URL: 'https://patchbay.example.com' });
    assert.equal(byAddress.productionByAddress, true);
    for (const url of ['http://localhost:1', 'http://127.0.0.9', 'http://[::1]:80', 'http://a.localhost']) {
      assert.equal(readConfig({ PATCHBAY_URL: url }).production, false, url);
    }
  });

  test('requires keys', () => {
    assert.match(refusedLines({ ...production, PATCHBAY_KEYS: '' }).join(), /PATCHBAY_KEYS/);
  });

  test('rejects weak secrets, and one secret for two doors', () => {
    assert.match(refusedLines({ ...production, DEBUG_TOKEN: 'short' }).join(), /DEBUG_TOKEN is too weak/);
    assert.match(refusedLines({ ...production, DEBUG_TOKEN: 'a'.repeat(40) }).join(), /too weak/);
    assert.match(refusedLines({ ...production, DEBUG_TOKEN: secret('cron') }).join(), /must not equal CRON_SECRET/);
    assert.match(refusedLines({ ...production, CRON_SECRET: `${secret('a')},${secret('a')}` }).join(), /another entry/);
    assert.match(refusedLines({ ...production, METRICS_TOKEN: key.slice(3) }).join(), /must not be a key/);
    assert.deepEqual(refusedLines(production), []);
  });
});

describe('the environment', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-config-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const load = (values: Record<string, string> = {}) =>
    loadConfig({ PATCHBAY_DATA: join(directory, 'data'), ...values }, directory);

  test('wins over .env', () => {
    writeFileSync(join(directory, '.env'), 'PORT=4000\nLOG_LEVEL=warn\n');
    const config = load({ PORT: '5000' });
    assert.equal(config.port, 5000);
    assert.equal(config.logLevel, 'warn');
  });

  describe('in .env', () => {
    const write = (...lines: string[]): void => writeFileSync(join(directory, '.env'), `${lines.join('\n')}\n`);

    for (const line of [
      'PATCHBAY_BRAND_COLOR=#0b5d4e',
      'export PATCHBAY_BRAND_COLOR = x#0b5d4e',
      'OAUTH_GITHUB_CLIENT_SECRET=abc#def # a secret',
      'TELEPHONY_API_KEY=#',
    ])
      test(`a value that would be cut off is refused: ${line}`, () => {
        write('PORT=4000', line, 'LOG_LEVEL=warn');
        const [, name = ''] = /([A-Z_]{5,})/.exec(line) ?? [];
        assert.throws(
          () => load(),
          ({ lines }: ConfigRefused) =>
            lines.length === 1 &&
            String(lines[0]).startsWith(`${name} in .env contains a #`) &&
            !/abc|0b5d4e/.test(String(lines[0])),
        );
      });

    test('a quoted value may contain a #, and a comment follows a space', () => {
      write(
        'PATCHBAY_BRAND_COLOR="#0b5d4e" # green',
        "PATCHBAY_BRAND_NAME='Ship#shape'# ours",
        'LOG_LEVEL=warn # quieter than info#2',
        'PATCHBAY_BRAND_LOGO= # none yet',
        '# PORT=#',
        'NOT_OURS=#1',
        'SOME_KEY="two',
        'PORT=#lines"',
      );
      const { brandColor, brandName, logLevel, brandLogo, port } = load();
      assert.deepEqual([brandColor, brandName, logLevel, brandLogo], ['#0b5d4e', 'Ship#shape', 'warn', null]);
      assert.equal(port, 3000);
    });
  });

  test('outside production, secrets are generated once and stored so that only the owner can read them', () => {
    const first = load();
    const second = load();
    assert.equal(first.keys?.reveal(), second.keys?.reveal());
    assert.equal(first.debugToken?.reveal(), second.debugToken?.reveal());
    assert.equal(first.keysKept, true);
    assert.equal(statSync(join(directory, 'data', 'secrets.json')).mode & 0o777, 0o600);
  });

  test('secrets that are set are not generated', () => {
    load({ DEBUG_TOKEN: 'mine' });
    assert.equal(load({ DEBUG_TOKEN: 'mine' }).debugToken?.reveal(), 'mine');
    assert.equal(load({ PATCHBAY_KEYS: key }).keysKept, false);
  });

  test('in production, nothing is generated', () => {
    load({ ...production });
    assert.throws(() => readFileSync(join(directory, 'data', 'secrets.json')));
  });

  test('processes of a shared database generate the same secrets, and keep them when a key is added', () => {
    const shared = { DATABASE_URL: 'postgresql://localhost/x', PATCHBAY_KEYS: key };
    const read = (data: string, values: Record<string, string> = {}) => {
      const config = load({ ...shared, PATCHBAY_DATA: join(directory, data), ...values });
      const { cronSecrets, debugToken, metricsToken, operatorTokens } = config;
      return [...cronSecrets, debugToken, metricsToken, ...operatorTokens].map((one) => one?.reveal());
    };
    const first = read('first');
    assert.deepEqual(read('second'), first);
    assert.deepEqual(read('second', { PATCHBAY_KEYS: extendKeyRing(key) }), first);
    assert.equal(new Set(first).size, 4);
    assert.ok(first.every((one) => one && one.length >= 32 && !key.includes(one)));
    assert.notDeepEqual(read('first', { PATCHBAY_KEYS: extendKeyRing(undefined) }), first);
    assert.deepEqual(read('first', { DEBUG_TOKEN: 'mine' }), first.with(1, 'mine'));
    assert.deepEqual(readdirSync(directory), []);
  });

  test('a shared database never uses generated keys', () => {
    load();
    assert.throws(
      () => load({ DATABASE_URL: 'postgresql://localhost/x' }),
      /PATCHBAY_KEYS must be set if DATABASE_URL is/,
    );
  });
});
