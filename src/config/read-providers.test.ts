import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { makeTestDirectory } from '../../test/harness/test-directory.ts';
import type { FullRecord, OauthRecord, Provider } from '../integrations/catalogue/provider.ts';
import { ConfigRefused } from './config-refused.ts';
import { findUnknownNames } from './find-unknown-names.ts';
import { readOpenSettings } from './read-open-settings.ts';
import { readProviders } from './read-providers.ts';

const own = [
  { id: 'my-own-app', name: 'Own', issuer: 'https://id.example', scopes: [] },
  {
    id: 'public',
    name: 'Public',
    scopes: [],
    authorize: { url: 'https://public.example/authorize' },
    token: { url: 'https://public.example/token', auth: 'none' },
  },
  {
    id: 'shop',
    name: 'Shop',
    scopes: [],
    clientFields: { api_key: { label: 'Key', about: 'A key.' }, name: { label: 'Name', about: 'A name.' } },
    authorize: { url: 'https://shop.example/authorize' },
    token: { url: 'https://shop.example/token', headers: { key: '{api_key}', name: '{name}' } },
  },
  {
    id: 'signed',
    name: 'Signed',
    scopes: [],
    authorize: { url: 'https://signed.example/authorize' },
    token: { url: 'https://signed.example/token', auth: 'private_key_jwt' },
  },
];

let directory: ReturnType<typeof makeTestDirectory>;
let file: string;

before(() => {
  directory = makeTestDirectory('patchbay-providers-');
  file = join(directory.path, 'providers.json');
  writeFileSync(file, JSON.stringify(own));
});
after(() => directory.remove());

const read = (values: Record<string, string | undefined>, providersFile: string | null = file) =>
  readProviders({
    ...{ providersFile, production: false, unknownNames: findUnknownNames(values) },
    ...readOpenSettings(values),
  });

const linesOf = (values: Record<string, string>, providersFile: string | null = file): readonly string[] => {
  try {
    read(values, providersFile);
  } catch (error) {
    assert.ok(error instanceof ConfigRefused, String(error));
    return error.lines;
  }
  return assert.fail('Nothing was refused.');
};

describe('client settings', () => {
  test('are found by name, and empty ones are ignored', () => {
    const settings = readOpenSettings({
      OAUTH_GITHUB_CLIENT_ID: ' the-id ',
      OAUTH_GITHUB_CLIENT_SECRET: 'the-secret\n',
      OAUTH_GITLAB_CLIENT_ID: '  ',
      OAUTH_GITLAB_CLIENT_SECRET: undefined,
      OAUTH_GITHUB_CLIENT: 'x',
      OAUTH_CLIENT_ID: 'x',
      oauth_github_client_id: 'x',
      MY_OAUTH_GITHUB_CLIENT_ID: 'x',
      OAUTH_GITHUB_CLIENT_ID_OLD: 'x',
      PATH: '/bin',
    });
    assert.deepEqual(settings.clientIds, { OAUTH_GITHUB_CLIENT_ID: 'the-id' });
    assert.deepEqual(
      Object.entries(settings.clientSecrets).map(([name, value]) => [name, value.reveal()]),
      [['OAUTH_GITHUB_CLIENT_SECRET', 'the-secret']],
    );
    assert.ok(!inspect(settings).includes('the-secret') && !JSON.stringify(settings).includes('the-secret'));
  });
});

describe("the operator's clients", () => {
  test('belong to the provider that the setting names', () => {
    const { operatorClients, catalogue } = read({
      OAUTH_GITHUB_CLIENT_ID: 'github-id',
      OAUTH_GITHUB_CLIENT_SECRET: 'github-secret',
    });
    assert.deepEqual([...operatorClients.keys()], ['github']);
    assert.equal(operatorClients.get('github')?.id, 'github-id');
    assert.equal(operatorClients.get('github')?.secret?.reveal(), 'github-secret');
    assert.ok(catalogue.has('gitlab') && catalogue.has('public'));
  });

  test('have "_" in the setting for "-" in the id', () => {
    const { operatorClients } = read({ OAUTH_MY_OWN_APP_CLIENT_ID: 'own-id', OAUTH_MY_OWN_APP_CLIENT_SECRET: 's' });
    assert.equal(operatorClients.get('my-own-app')?.id, 'own-id');
  });

  test('are empty if nothing is set', () => {
    assert.equal(read({}).operatorClients.size, 0);
    assert.equal(read({}, null).operatorClients.size, 0);
  });

  test('need a secret, unless the provider has none', () => {
    assert.match(linesOf({ OAUTH_GITHUB_CLIENT_ID: 'x' }).join(), /^OAUTH_GITHUB_CLIENT_SECRET must be set/);
    assert.match(linesOf({ OAUTH_MY_OWN_APP_CLIENT_ID: 'x' }).join(), /^OAUTH_MY_OWN_APP_CLIENT_SECRET must be set/);
    assert.deepEqual(read({ OAUTH_PUBLIC_CLIENT_ID: 'x' }).operatorClients.get('public'), { id: 'x', secret: null });
  });

  test('need an id', () => {
    for (const id of ['GITHUB', 'PUBLIC'])
      assert.match(
        linesOf({ [`OAUTH_${id}_CLIENT_SECRET`]: 'x' }).join(),
        new RegExp(`^OAUTH_${id}_CLIENT_ID must be set`),
      );
  });
});

describe('what an OAuth app has besides its id and secret', () => {
  const app = { OAUTH_SHOP_CLIENT_ID: 'x', OAUTH_SHOP_CLIENT_SECRET: 'y' };

  test('comes from settings that the entry names', () => {
    const { operatorClients, unknownSettings } = read({
      ...app,
      OAUTH_SHOP_API_KEY: ' the-key ',
      OAUTH_SHOP_NAME: 'n',
    });
    const { fields = {} } = operatorClients.get('shop') ?? {};
    assert.deepEqual(
      Object.entries(fields).map(([name, secret]) => [name, secret.reveal()]),
      [
        ['api_key', 'the-key'],
        ['name', 'n'],
      ],
    );
    assert.ok(!inspect(fields).includes('the-key'));
    assert.deepEqual(unknownSettings, []);
  });

  test('may be missing, and then what is connected goes on', () => {
    assert.deepEqual(Object.keys(read({ ...app, OAUTH_SHOP_NAME: 'n' }).operatorClients.get('shop')?.fields ?? {}), [
      'name',
    ]);
    assert.deepEqual(linesOf({ OAUTH_SHOP_NAME: 'n' }), ['OAUTH_SHOP_CLIENT_ID must be set if OAUTH_SHOP_NAME is.']);
  });

  test('is reported if no entry has it', () => {
    const { unknownSettings } = read({ ...app, OAUTH_SHOP_APIKEY: 'x', OAUTH_GITHUB_API_KEY: 'x' });
    assert.deepEqual(unknownSettings.slice(0, 2), [
      { name: 'OAUTH_SHOP_APIKEY', didYouMean: 'OAUTH_SHOP_API_KEY' },
      { name: 'OAUTH_GITHUB_API_KEY', didYouMean: unknownSettings[1]?.didYouMean },
    ]);
  });
});

describe('a private key', () => {
  const make = (modulusLength = 2_048) =>
    generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const pem = make();
  const of = (name: string, values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [`OAUTH_${name}_${key}`, value]));

  test('takes the place of the secret, if the entry says so or leaves it to the issuer', () => {
    for (const name of ['SIGNED', 'MY_OWN_APP']) {
      const values = of(name, { CLIENT_ID: 'x', PRIVATE_KEY: pem, KEY_ID: 'k1' });
      const client = read(values).operatorClients.get(name.toLowerCase().replaceAll('_', '-'));
      assert.deepEqual([client?.id, client?.secret, client?.key?.keyId], ['x', null, 'k1']);
      assert.ok(!inspect(client, { depth: 9 }).includes(pem.split('\n')[1] ?? ''));
    }
  });

  test('is refused with what to do, and never with the key', () => {
    const expected: [Record<string, string>, RegExp][] = [
      [of('SIGNED', { CLIENT_ID: 'x' }), /^OAUTH_SIGNED_PRIVATE_KEY must be set if OAUTH_SIGNED_CLIENT_ID is/],
      [of('SIGNED', { PRIVATE_KEY: pem }), /^OAUTH_SIGNED_CLIENT_ID must be set if OAUTH_SIGNED_PRIVATE_KEY is/],
      [of('SIGNED', { KEY_ID: 'x' }), /^OAUTH_SIGNED_PRIVATE_KEY must be set if OAUTH_SIGNED_KEY_ID is/],
      [of('SIGNED', { CLIENT_ID: 'x', PRIVATE_KEY: 'key.pem' }), /^OAUTH_SIGNED_PRIVATE_KEY is the name of a file/],
      [of('SIGNED', { CLIENT_ID: 'x', PRIVATE_KEY: make(1_024) }), /^OAUTH_SIGNED_PRIVATE_KEY is an RSA key of 1024/],
      [of('MY_OWN_APP', { CLIENT_ID: 'x', CLIENT_SECRET: 'y', PRIVATE_KEY: pem }), /Set one of them/],
      [of('GITHUB', { CLIENT_ID: 'x', PRIVATE_KEY: pem }), /^OAUTH_GITHUB_PRIVATE_KEY is set, but .*token\.auth/],
      [of('NOBODY', { PRIVATE_KEY: pem }), /^OAUTH_NOBODY_PRIVATE_KEY doesn't match any provider/],
    ];
    for (const [values, pattern] of expected) {
      const [line = '', ...others] = linesOf(values);
      assert.match(line, pattern);
      assert.deepEqual(others, []);
      assert.doesNotMatch(line, /BEGIN/);
    }
  });
});

describe('a setting that does not exist', () => {
  test('is named, with the one that was probably meant', () => {
    const names = [
      ['PATCHBAY_RETURN_ORIGIN', 'PATCHBAY_RETURN_ORIGINS'],
      ['PATCHBAY_OPERATER_TOKEN', 'PATCHBAY_OPERATOR_TOKEN'],
      ['OAUTH_GITHUB_CLIENTID', 'OAUTH_GITHUB_CLIENT_ID'],
      ['OAUTH_GITHUB_SECRET', 'OAUTH_GITHUB_CLIENT_SECRET'],
      ['PATCHBAY_SOMETHING_ELSE_ALTOGETHER', null],
      ['PATCHBAY_EVENT_SECRET', null],
    ] as const;
    const values = Object.fromEntries(names.map(([name]) => [name, 'x']));
    assert.deepEqual(
      read({ ...values, PATCHBAY_EMPTY: ' ', PATCHBAY_URL: 'http://localhost', GITHUB_TOKEN: 'x' }).unknownSettings,
      names.map(([name, didYouMean]) => ({ name, didYouMean })),
    );
  });

  test('is refused with the one that was meant, if it belongs to a provider that does not exist', () =>
    assert.match(linesOf({ OAUTH_GITHUP_CLIENT_ID: 'x' }).join(), / Did you mean OAUTH_GITHUB_CLIENT_ID\?$/));
});

const recordOf = (provider: Provider | undefined) => provider?.record as OauthRecord;

describe('default scopes', () => {
  const scopesOf = (id: string, values: Record<string, string>) => recordOf(read(values).catalogue.get(id)).scopes;

  test('are set for an entry, with or without a client, separated by spaces, line breaks or commas', () => {
    assert.deepEqual(scopesOf('github', { OAUTH_GITHUB_SCOPES: ' repo read:org\nuser,gist repo ' }), [
      ...['repo', 'read:org', 'user', 'gist'],
    ]);
    assert.deepEqual(scopesOf('my-own-app', { OAUTH_MY_OWN_APP_SCOPES: 'orders.read' }), ['orders.read']);
    assert.notDeepEqual(scopesOf('gitlab', { OAUTH_GITHUB_SCOPES: 'repo' }), ['repo']);
    assert.deepEqual(scopesOf('github', { OAUTH_GITHUB_SCOPES: ' ' }), scopesOf('github', {}), 'Empty is unset.');
  });

  test('can be set for the sandbox, if there is one', () => {
    const record = { ...own[1], id: 'sandbox', scopes: ['profile'] } as FullRecord;
    const settings = readOpenSettings({ OAUTH_SANDBOX_SCOPES: 'email' });
    const given = { providersFile: null, production: false, unknownNames: [], ...settings };
    assert.deepEqual(recordOf(readProviders(given, { record, custom: true }).catalogue.get('sandbox')).scopes, [
      'email',
    ]);
    assert.throws(() => readProviders(given), ConfigRefused);
  });

  test('are refused if they name no provider, or are not scopes', () => {
    assert.match(linesOf({ OAUTH_NOBODY_SCOPES: 'repo' }).join(), /^OAUTH_NOBODY_SCOPES doesn't match any provider/);
    const many = Array.from({ length: 101 }, (_, index) => `s${index}`).join(' ');
    const long = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(250)}`).join(' ');
    for (const value of ['répo', 'x'.repeat(301), many, long])
      assert.match(linesOf({ OAUTH_GITHUB_SCOPES: value }).join(), /^OAUTH_GITHUB_SCOPES must /, value.slice(0, 20));
  });
});

describe('secrets of webhooks', () => {
  const client = { OAUTH_SLACK_CLIENT_ID: 'x', OAUTH_SLACK_CLIENT_SECRET: 'y' };
  const secretsOf = (list: string) =>
    read({ ...client, OAUTH_SLACK_WEBHOOK_SECRET: list })
      .webhookSecrets.get('slack')
      ?.map((secret) => secret.reveal());

  test('are a list, for rotation', () => {
    assert.deepEqual(secretsOf('new'), ['new']);
    assert.deepEqual(secretsOf(' new, old,'), ['new', 'old']);
    assert.equal(secretsOf(' '), undefined, 'Empty is unset.');
    assert.deepEqual(secretsOf(','), [], 'Nothing verifies.');
  });

  test('need a client, and an entry that says how webhooks are signed', () => {
    assert.match(linesOf({ OAUTH_SLACK_WEBHOOK_SECRET: 's' }).join(), /^OAUTH_SLACK_CLIENT_ID must be set/);
    // Of GitLab, only teams receive webhooks.
    for (const name of ['SPOTIFY', 'GITLAB']) {
      const app = { [`OAUTH_${name}_CLIENT_ID`]: 'x', [`OAUTH_${name}_CLIENT_SECRET`]: 'y' };
      const lines = linesOf({ ...app, [`OAUTH_${name}_WEBHOOK_SECRET`]: 's' });
      assert.match(
        lines.join(),
        new RegExp(`^OAUTH_${name}_WEBHOOK_SECRET is set, but .* no webhooks that the operator receives`),
      );
    }
    assert.match(linesOf({ OAUTH_NOBODY_WEBHOOK_SECRET: 's' }).join(), /^OAUTH_NOBODY_WEBHOOK_SECRET doesn't match/);
  });
});

describe('settings that cannot be used', () => {
  test('are reported if they name no provider', () => {
    const lines = linesOf({ OAUTH_GITHUBB_CLIENT_ID: 'x', OAUTH_GITHUBB_CLIENT_SECRET: 'y' });
    assert.equal(lines.length, 2);
    assert.match(
      lines.join('\n'),
      /^OAUTH_GITHUBB_CLIENT_ID doesn't match any provider.*\nOAUTH_GITHUBB_CLIENT_SECRET doesn't match/,
    );
    assert.match(
      linesOf({ OAUTH_PUBLIC_CLIENT_ID: 'x' }, null).join(),
      /OAUTH_PUBLIC_CLIENT_ID doesn't match any provider/,
    );
  });

  test('are reported all at once, and never with their values', () => {
    const values = {
      OAUTH_NOBODY_CLIENT_ID: 'value-one',
      OAUTH_GITHUB_CLIENT_ID: 'value-two',
      OAUTH_SLACK_CLIENT_SECRET: 'value-three',
    };
    const lines = linesOf(values);
    assert.equal(lines.length, 3);
    assert.doesNotMatch(lines.join(), /value-/);
  });

  test('include a file of providers that cannot be read', () => {
    const missing = join(directory.path, 'missing.json');
    assert.deepEqual(linesOf({}, missing), [`PATCHBAY_PROVIDERS: ${missing} cannot be read.`]);
  });
});
