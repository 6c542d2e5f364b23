import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { Patchbay } from '../../packages/client/src/index.ts';
import { SECRETS } from '../harness/app.ts';
import { findFreePort } from '../harness/free-port.ts';
import { findOtherNode, installPackedClient, run } from '../harness/packed-client.ts';
import { sendFromProvider, sendJson, sendProblem, startCounterpart } from '../harness/patchbay-counterpart.ts';
import { makeDataDirectory, type Serving, startServe } from '../harness/serve-process.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { walkSandbox } from '../harness/walk-sandbox.ts';

const MOST_BYTES = 10_240;
const TEAM = 'customer-42';
const EVENT_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const SAMPLE = `
import { type Call, Patchbay, PatchbayError, type PatchbayEvent, verifyEvent } from '@patchbay/client';

const patchbay = new Patchbay({ url: 'https://patchbay.example.com', token: 'pb_token' });
export const status: Promise<'connected' | 'degraded' | 'needs_reconnect' | 'disconnected' | undefined> =
  patchbay.integrations.status().then(({ integrations }) => integrations[0]?.status);
export const calls: AsyncIterable<Call> = patchbay.team('a').as('u').calls.list({ outcome: 'missed' });
export const custom: typeof fetch = patchbay.fetchOf('github', { connection: 'work' });
export const describe = ({ type, data }: PatchbayEvent): string | number | null | undefined => {
  if (type === 'call.missed') return data.from;
  if (type === 'test') return data.message;
  if (type === 'recording.ready' && !data.truncated) return data.bytes && data.source && data.url.length;
  // @ts-expect-error Of what is too large, the source may be missing.
  return type === 'recording.failed' ? data.source.length : null;
};
export const code = (error: unknown): string => (error instanceof PatchbayError ? error.code : '');
export const verified: Promise<PatchbayEvent> = verifyEvent('', new Headers(), 'whsec_');
declare const maybe: string | undefined;
patchbay.fetch('github', '/user', { connection: maybe, host: maybe });
patchbay.team('a').createSession({ user: { key: 'u', name: maybe }, returnTo: maybe });
export const names: Promise<string[]> = patchbay
  .request('GET /api/operator/teams', { query: { cursor: maybe } })
  .then(({ teams }) => teams.map(({ name }) => name));
patchbay.request('GET /api/team');
patchbay.request('GET /api/calls/{id}', { params: { id: 'c' } });
// @ts-expect-error The path has a placeholder.
patchbay.request('GET /api/calls/{id}');
// @ts-expect-error There is no such outcome.
patchbay.calls.list({ outcome: 'nothing' });
// @ts-expect-error A team has a name.
patchbay.team('a').put({});
`;

const PAGE = `
import type { Connect } from '@patchbay/client/connect';

const button = document.querySelector('patchbay-connect');
button?.addEventListener('patchbay-connected', ({ detail }) => detail.account.label?.trim());
button?.addEventListener('patchbay-failed', ({ detail }) => detail.code.trim());
export const refreshed: Promise<void> | undefined = button?.refresh();
export const finish = ({ connect }: Connect): void => connect({ url: '', session: 'pbs_', provider: 'github', returnTo: '/' }).cancel();
`;

/** The programs in a document. A block without an import continues the one before. */
const programsIn = (document: string): string[] => {
  const programs: string[] = [];
  for (const [, block = ''] of document.matchAll(/^```js\n(.*?)^```$/gms))
    programs.push(block.startsWith('import ') ? block : `${programs.pop()}${block}`);
  return programs;
};

describe('the packed client', () => {
  const packed = useStage(installPackedClient);
  const standIn = useStage(startCounterpart);
  const data = makeDataDirectory();
  let serving: Serving;
  let patchbay: Patchbay;
  let env: Record<string, string>;

  before(async () => {
    serving = await startServe({ ...SECRETS, PATCHBAY_DATA: data.path });
    await serving.ready();
    const token = SECRETS.PATCHBAY_OPERATOR_TOKEN;
    // The address that the service has by itself, which its sandbox expects.
    const url = `http://localhost:${serving.port}`;
    patchbay = new Patchbay({ url, token });
    env = { PATCHBAY_URL: url, PATCHBAY_OPERATOR_TOKEN: token, PATCHBAY_EVENT_SECRET: EVENT_SECRET };
    const team = await patchbay.team(TEAM).put({ name: 'Acme' });
    assert.equal(team.key, TEAM);
    await walkSandbox(url, { authorization: `Bearer ${token}`, 'patchbay-team': TEAM });
    for (const name of ['@octokit/core', '@types/node', 'undici-types']) packed.lend(name);
  });
  after(async () => {
    await serving?.end();
    data.remove();
  });

  test('is small, and holds only what is needed', () => {
    assert.deepEqual(
      packed.files.filter((file) => !/^dist\/[\w-]+(?:\.d\.ts|\.js)$/.test(file)),
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'connect.d.ts', 'package.json'],
    );
    const scripts = packed.files.filter((file) => file.endsWith('.js')).map((file) => packed.read(file));
    const bytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    assert.equal(JSON.parse(packed.read('package.json')).dependencies, undefined);
  });

  test('has types that hold with and without those of Node', async () => {
    packed.write('sample.ts', SAMPLE);
    packed.write('page.ts', PAGE);
    await packed.compile(['sample.ts', 'page.ts'], {
      ...{ types: [], lib: ['es2022', 'dom', 'dom.iterable'], noEmit: true },
      exactOptionalPropertyTypes: true,
    });
    await packed.compile(['sample.ts'], { types: ['node'], lib: ['es2022'], noEmit: true });
  });

  test('sees the accounts of a customer, its contacts and its calls', async () => {
    const acme = patchbay.team(TEAM);
    const { token } = await acme.createSession({ user: { key: 'u1' }, providers: ['sandbox'] });
    const session = new Patchbay({ url: env['PATCHBAY_URL'] ?? '', token });
    for (const client of [acme, acme.as('u1'), session]) {
      const { integrations } = await client.integrations.status();
      assert.equal(integrations.find(({ provider }) => provider === 'sandbox')?.status, 'connected');
    }
    await assert.rejects(session.integrations.token('sandbox'), { status: 403 });
    const { providers } = await session.integrations.providers();
    assert.deepEqual(
      providers.map(({ id, api }) => [id, api]),
      [['sandbox', null]],
    );
    const ids: number[] = [];
    const call = acme.fetchOf('sandbox');
    for (let next: string | undefined = '/contacts'; next; ) {
      const response: Response = await call(next);
      const { contacts } = (await response.json()) as { contacts: { id: number }[] };
      ids.push(...contacts.map(({ id }) => id));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    for await (const { id } of acme.calls.list()) assert.fail(`Nobody called, but there is ${id}.`);
    await assert.rejects(patchbay.team('nobody').integrations.status(), { code: 'operator.team_unknown', status: 404 });
  });

  test('does what its README says, on this Node and on the one of the machine', async (context) => {
    const programs = programsIn(packed.read('README.md'));
    const names = ['customers', 'agent', 'library', 'problems', 'events'];
    assert.equal(programs.length, names.length);
    for (const [index, name] of names.entries())
      for (const kind of ['mjs', 'ts']) packed.write(`${name}.${kind}`, programs[index] ?? '');
    await packed.compile(
      names.map((name) => `${name}.ts`),
      { types: ['node'], skipLibCheck: true, noEmit: true },
    );
    let decided = 0;
    standIn.answer(({ method, url }, response) => {
      if (url.endsWith('/providers'))
        return sendJson(response, {
          providers: [{ id: 'github', api: { url: 'https://api.github.com', hosts: {} } }],
        });
      const approval = { id: 'a1', url: `${standIn.url}/approvals/a1` };
      if (method === 'POST') return sendProblem(response, 409, 'tokens.approval_needed', {}, { approval });
      if (url.endsWith('/approvals/a1')) return sendJson(response, { state: ++decided % 2 ? 'waiting' : 'sent' });
      if (url.endsWith('/approvals/a1/response')) return sendFromProvider(response, {}, 201);
      return sendFromProvider(response, { login: 'octocat' });
    });
    const other = await findOtherNode();
    if (!other) context.diagnostic('This machine has no other Node.');
    for (const node of [process.execPath, ...(other ? [other] : [])]) {
      const customers = await run(node, ['customers.mjs'], packed.project, env);
      assert.match(
        customers,
        /^Ann connects accounts at http.*\n.*sandbox default connected\n.*10 contacts\n\d+ char/s,
      );
      assert.equal(await run(node, ['problems.mjs'], packed.project, env), '404 operator.team_unknown\n');
      const library = await run(node, ['library.mjs'], packed.project, { ...env, PATCHBAY_URL: standIn.url });
      assert.equal(library, 'octocat\n');
      const agent = await run(node, ['agent.mjs'], packed.project, {
        PATCHBAY_URL: standIn.url,
        PATCHBAY_TOKEN: 'pb_a',
      });
      assert.equal(agent, `Waiting for ${standIn.url}/approvals/a1\n201\n`);
    }

    const port = await findFreePort();
    const receiver = spawn(process.execPath, ['events.mjs'], {
      cwd: packed.project,
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    context.after(() => receiver.kill());
    const body = JSON.stringify({ id: 'evt_1', type: 'test', data: {} });
    const sentAt = new Date();
    const send = async (text: string): Promise<number> => {
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
        'webhook-signature': new Webhook(EVENT_SECRET).sign('evt_1', sentAt, body),
      };
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: text, headers })).status;
    };
    await waitUntil('the receiver is ready', () => send(body).then(Boolean, () => false));
    assert.equal(await send(body), 204);
    assert.equal(await send(`${body} `), 400, 'It was not signed like this.');
  });

  test('is all that the product in docs/embedding.md needs', async (context) => {
    const docs = readFileSync('docs/embedding.md', 'utf8');
    const [, program = ''] = /^```js\n(import .*?)^```$/ms.exec(docs) ?? [];
    const [, route = ''] = /^```js\n( +\/\/ .*?)^```$/ms.exec(docs) ?? [];
    const imports = "import { text } from 'node:stream/consumers';\nimport { verifyEvent } from '@patchbay/client';\n";
    packed.write('product.mjs', imports + program.replace('const routes = {\n', (line) => line + route));
    const port = await findFreePort();
    const added = await fetch(`${env['PATCHBAY_URL']}/api/operator/events/endpoints`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/patchbay-events`, types: ['connection.*'] }),
    });
    const { secret } = (await added.json()) as { secret: string };
    const child = spawn((await findOtherNode()) ?? process.execPath, ['product.mjs'], {
      cwd: packed.project,
      env: { ...env, PORT: String(port), PATCHBAY_EVENT_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    context.after(() => child.kill());
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
    const isReady = () =>
      get('/').then(
        ({ ok }) => ok,
        () => false,
      );
    await waitUntil('the product is ready', isReady);
    const page = await (await get('/')).text();
    assert.ok(page.includes(`src="${env['PATCHBAY_URL']}/connect.js"`));
    assert.equal((await get('//')).status, 404, 'Whatever anyone requests, it goes on.');
    const session = (await (await get('/patchbay-session', 'POST')).json()) as Record<string, string>;
    assert.deepEqual(Object.keys(session), ['token', 'expiresAt']);
    assert.equal(await (await get('/contacts')).text(), 'integrations.not_connected');
    const team = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}`, 'patchbay-team': 'customer-1' };
    await walkSandbox(env['PATCHBAY_URL'] ?? '', team);
    const { contacts } = (await (await get('/contacts')).json()) as { contacts: unknown[] };
    assert.equal(contacts.length, 10);
    await waitUntil('the event arrives', () => printed.includes('connection.connected customer-1 sandbox'));
  });
});
