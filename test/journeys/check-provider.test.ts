import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { findEntryFlaws } from '../../src/integrations/catalogue/find-entry-flaws.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { html, invalidClient } from '../harness/oauth-server/faults.ts';
import type { Fault } from '../harness/oauth-server/gate.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';

const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Fault =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body);
const refuse = (error: string): Fault =>
  answer(400, { 'content-type': 'application/json' }, JSON.stringify({ error, error_description: 'canary' }));

type Stage = Awaited<ReturnType<typeof openKeysStage>>;

describe('checking an entry at its provider', () => {
  let stage: Stage;
  before(async () => {
    stage = await openKeysStage('sqlite');
  });
  afterEach(() => stage.mend());
  after(() => stage.close());

  const check = async (id: string, params = {}) => (await stage.app.integrations.checkProvider(id, params)).steps;
  const stateOf = async (id: string, name: string) => {
    const step = (await check(id)).find((one) => one.name === name);
    return `${step?.state}: ${step?.detail}`;
  };

  test('finds the issuer, its page and its token endpoint, and is granted nothing', async () => {
    const issued = stage.oauth.issued.length;
    const steps = await check('acme-full');
    assert.deepEqual(
      steps.map(({ name, state }) => [name, state]),
      [
        ['discovery', 'passed'],
        ['authorization page', 'passed'],
        ['wrong code', 'passed'],
      ],
      JSON.stringify(steps),
    );
    assert.deepEqual(
      new Set(steps.flatMap(({ confirms }) => confirms)),
      new Set(['issuer', 'authorize.url', 'token.url', 'revoke.url', 'token.auth']),
    );
    assert.equal(
      (await check('acme')).every(({ state }) => state === 'passed'),
      true,
      'The short form, too.',
    );
    assert.equal(stage.oauth.issued.length, issued);
  });

  test('says what is wrong with the client, the page or the token endpoint', async () => {
    const expected: [string, 'code' | 'authorize', Fault, RegExp][] = [
      ['wrong code', 'code', invalidClient, /^failed: .*client ID and secret.*token\.auth/],
      ['wrong code', 'code', answer(404, { 'content-type': 'text/html' }, 'no'), /^failed: .*404\. Check token\.url/],
      ['wrong code', 'code', html, /^failed: .*no readable response.*token\.url/],
      [
        'wrong code',
        'code',
        refuse('bad_verification_code'),
        /^unclear: .*"bad_verification_code".*errors\.invalidGrant/,
      ],
      [
        'authorization page',
        'authorize',
        answer(400),
        /^failed: .*400.*\/api\/integrations\/acme-full\/callback is registered/,
      ],
      ['authorization page', 'authorize', answer(403), /^unclear: .*403.*browser/],
    ];
    for (const [name, kind, fault, pattern] of expected) {
      stage.oauth.fail(kind, fault);
      const said = await stateOf('acme-full', name);
      assert.match(said, pattern);
      assert.doesNotMatch(said, /canary/);
    }
    const back = `${stage.app.config.url}/api/integrations/acme-full/callback?error=invalid_scope&state=x`;
    stage.oauth.fail('authorize', answer(303, { location: back }));
    assert.match(await stateOf('acme-full', 'authorization page'), /^failed: .*"invalid_scope"/);
  });

  test('of a key-based provider sends a key that nobody has', async () => {
    assert.match(await stateOf('keyed', 'wrong key'), /^passed: /);
    assert.match(await stateOf('keyed-basic', 'wrong key'), /^passed: /);
    assert.match(await stateOf('keyed-blind', 'wrong key'), /^skipped: /);
    const [step] = await check('keyed-site', { site: 'north' });
    assert.equal(step?.state, 'passed');
    stage.api.answer((_, response) => void response.writeHead(200).end('{}'));
    assert.match(await stateOf('keyed', 'wrong key'), /^failed: It was accepted.*api\.verify proves nothing/);
    stage.api.answer((_, response) => void response.writeHead(404).end('{}'));
    assert.match(await stateOf('keyed', 'wrong key'), /^unclear: .*404/);
  });

  test('needs a client, and the params that the entry asks for', async () => {
    await assert.rejects(check('acme-still'), /OAUTH_ACME_STILL_CLIENT_ID/);
    await assert.rejects(check('keyed-site'), /params/);
    await assert.rejects(check('nothing'), /provider/i);
  });
});

describe('a new entry', () => {
  let stage: Stage;
  const directory = makeTestDirectory('patchbay-entry-');
  before(async () => {
    stage = await openKeysStage('sqlite');
  });
  after(async () => {
    await stage.close();
    directory.remove();
  });
  const write = (...args: string[]) => {
    const file = join(directory.path, `${args.length}-${args[0]}.json`);
    return runCommand(['providers', 'new', ...args, '--file', file, '--json'], settingsOf(stage)).then((ran) => ({
      ...ran,
      file,
    }));
  };
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

  test("is written from an issuer's document, and can be used as it is", async () => {
    const { code, file, stderr } = await write('northwind', '--issuer', stage.oauth.issuer, '--name', 'Northwind Mail');
    assert.equal(code, 0, stderr);
    const { evidence, ...record } = read(file);
    assert.equal(record.name, 'Northwind Mail');
    assert.equal(record.token.url, `${stage.oauth.issuer}/token`);
    assert.equal(record.revoke.url, `${stage.oauth.issuer}/token/revocation`);
    assert.deepEqual(findEntryFlaws(record, false), []);
    assert.match(evidence.seen['token'], /discovery document/);
    assert.ok(evidence.unchecked.includes('refresh.idleDays'));
  });

  test('is written from two addresses, with everything else listed as unchecked', async () => {
    const addresses = ['--authorize-url', 'https://a.example/authorize', '--token-url', 'https://a.example/token'];
    const { code, file, stderr } = await write('a-example', ...addresses, '--scopes', 'read write');
    assert.equal(code, 0, stderr);
    const { evidence, ...record } = read(file);
    assert.deepEqual(record.scopes, ['read', 'write']);
    assert.deepEqual(evidence.seen, {});
    assert.ok(evidence.unchecked.includes('token.url'));
    const again = await write('a-example', ...addresses, '--scopes', 'read write');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already exists/);
  });

  test('is refused if it would be invalid, and needs an issuer or addresses', async () => {
    const bad = await write(
      'Not-An-Id',
      '--authorize-url',
      'https://a.example/a',
      '--token-url',
      'https://a.example/t',
    );
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /lowercase/);
    assert.equal((await write('a-example')).code, 2);
    const nowhere = await write('a-example', '--issuer', `${stage.oauth.issuer}/nowhere`);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /no readable discovery document/);
  });
});
