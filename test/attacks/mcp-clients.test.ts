// Attack: clients that are strangers. Their documents lead to our own network, are somebody else's, or never end, and
// their registrations come without end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, test } from 'node:test';
import { fetchClient, isDocumentId } from '../../src/agents/clients/client-document.ts';
import { createOutbound } from '../../src/platform/index.ts';
import { CALLBACK } from '../harness/agent-clients.ts';
import { createHandClient, openPerson, registerClient } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

/** A place for documents of clients. A test says what is there. */
const startDocuments = async () => {
  const documents = { asked: 0, serve: ((_request, response) => response.end()) as RequestListener };
  const server = createServer((request, response) => {
    documents.asked++;
    documents.serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { documents, url, id: `${url}/agents/client.json`, close };
};

onOneEngine('a client that nobody knows', (engine) => {
  const stage = useStage(async () => {
    const opened = await openApprovalsStage(engine);
    const place = await startDocuments();
    const close = async (): Promise<void> => {
      place.close();
      await opened.close();
    };
    return { ...opened, ...place, close };
  });
  beforeEach(() => stage.clock.advance(60_000));

  const visit = async (id: string) => {
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const answer = await person.visit(client.address({ client_id: id }));
    return { status: answer.status, text: await answer.text(), person, client };
  };
  const serveDocument = (document: object): void => {
    stage.documents.serve = (_request, response) => response.end(JSON.stringify(document));
  };

  test('is shown with the host of its document, and can be let in', async () => {
    serveDocument({ client_id: stage.id, client_name: 'Documented', redirect_uris: [CALLBACK] });
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const { page, text, csrf, seen } = await person.open(client.address({ client_id: stage.id }));
    assert.match(text, new RegExp(`<strong>Documented</strong> from <strong>${new URL(stage.url).host}</strong>`));
    const back = await person.follow(
      await person.send(page, { answer: 'allow', shown: seen, can: 'status', _csrf: csrf }),
    );
    stage.documents.serve = (_request, response) => response.destroy();
    const { asked } = stage.documents;
    const redeemed = await client.redeem(back.searchParams.get('code') ?? '', { client_id: stage.id });
    assert.equal(redeemed.status, 200, JSON.stringify(redeemed.json));
    stage.clock.advance(20 * 24 * 3_600_000);
    const refreshed = await client.refresh(redeemed.json.refresh_token, { client_id: stage.id });
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.json));
    assert.equal(stage.documents.asked, asked, 'Only a person makes it fetch, and no client.');
  });

  test('is refused if its document is wrong, too large, elsewhere, or never there', async () => {
    const fine = { client_id: stage.id, client_name: 'Documented', redirect_uris: [CALLBACK] };
    for (const wrong of [
      { ...fine, client_id: `${stage.url}/agents/other.json` },
      { ...fine, client_id: undefined },
      { ...fine, redirect_uris: [] },
      { ...fine, redirect_uris: 'http://127.0.0.1/' },
      { ...fine, redirect_uris: ['http://evil.example/'] },
      { ...fine, redirect_uris: ['javascript:alert(1)'] },
      { ...fine, client_secret: 'x' },
      { ...fine, token_endpoint_auth_method: 'private_key_jwt' },
      { ...fine, token_endpoint_auth_method: 'client_secret_basic' },
      { ...fine, client_name: 'x'.repeat(6_000) },
      [],
    ]) {
      stage.clock.advance(60_000);
      serveDocument(wrong);
      const { status, text } = await visit(stage.id);
      assert.equal(status, 400, JSON.stringify(wrong).slice(0, 200));
      assert.match(text, /This client can(?:'|&#39;|’)t be used/);
    }
    const servers: RequestListener[] = [
      (_request, response) => response.writeHead(302, { location: `${stage.url}/elsewhere` }).end(),
      (_request, response) => response.writeHead(500).end('{}'),
      (_request, response) => response.end('{'),
      (_request, response) => response.destroy(),
      (_request, response) => void response.write('{"client_id":"'.padEnd(70_000, 'x')),
    ];
    for (const serve of servers) {
      stage.clock.advance(60_000);
      stage.documents.serve = serve;
      assert.equal((await visit(stage.id)).status, 400);
    }
  });

  test('is no way into our own network', async () => {
    const outbound = createOutbound({ allowPrivate: false });
    const context = { outbound, production: true, redirectSchemes: [] };
    for (const id of [
      stage.id,
      'http://agents.example/client.json',
      'https://agents.example',
      'https://agents.example/',
      'https://agents.example/a/../client.json',
      'https://agents.example/a/%2e%2e/client.json',
      'https://agents.example/client.json#x',
      'https://agents.example/client.json?x',
      'https://user@agents.example/client.json',
      'https://AGENTS.example/client.json',
      'file:///etc/passwd',
      'not an address',
    ])
      assert.equal(isDocumentId(id, context), false, id);
    for (const id of [
      'https://127.0.0.1/client.json',
      'https://10.0.0.1/client.json',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/client.json',
      'https://[fd00::1]/client.json',
      'https://localhost/client.json',
    ]) {
      assert.equal(isDocumentId(id, context), true, id);
      await assert.rejects(fetchClient(context, id), { code: 'mcp.client_refused' }, id);
    }
  });

  test('makes us fetch nothing unless a person who is signed in asks, and then only so often', async () => {
    serveDocument({ client_id: stage.id, redirect_uris: [CALLBACK] });
    const before = stage.documents.asked;
    const client = await createHandClient(stage.server);
    const other = `${stage.url}/agents/another.json`;
    assert.equal((await stage.server.inject({ url: client.address({ client_id: other }) })).statusCode, 303);
    assert.equal((await client.redeem('x', { client_id: other })).status, 401);
    assert.equal(stage.documents.asked, before);
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const answers = [];
    for (let count = 0; count < 25; count++)
      answers.push((await person.visit(client.address({ client_id: stage.id }))).status);
    assert.ok(answers.includes(429));
    assert.ok(stage.documents.asked - before <= 20);
  });

  test('registers only so often, and is forgotten unless a person lets it in', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 40; count++) statuses.push((await registerClient(stage.server)).status);
    assert.equal(statuses.filter((status) => status === 201).length, 20);
    assert.equal(statuses.filter((status) => status === 429).length, 20);
    stage.clock.advance(25 * 3_600_000);
    await stage.app.agents.pruneGrants();
    const rows = await stage.app.database.all<{ kind: string }>(
      "select kind from agent_issued where kind = 'Registration'",
    );
    assert.deepEqual(rows, []);
  });

  test('registers with what it is, and everything else is left out', async () => {
    for (const body of [
      {},
      { redirect_uris: [] },
      { redirect_uris: Array.from({ length: 11 }, () => CALLBACK) },
      { redirect_uris: CALLBACK },
      { redirect_uris: [CALLBACK], client_name: 'x'.repeat(2_000) },
      [],
      null,
    ]) {
      const answer = await stage.server.inject({ method: 'POST', url: '/oauth/register', payload: body as object });
      assert.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 100));
      stage.clock.advance(60_000);
    }
    const { json } = await registerClient(stage.server, {
      client_secret: 'mine',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      sector_identifier_uri: `${stage.url}/sector`,
      jwks_uri: `${stage.url}/jwks`,
      scope: 'everything',
    });
    assert.deepEqual(Object.keys(json).sort(), [
      'application_type',
      'client_id',
      'client_id_issued_at',
      'client_name',
      'grant_types',
      'redirect_uris',
      'response_types',
      'token_endpoint_auth_method',
    ]);
    assert.equal(json.token_endpoint_auth_method, 'none');
    assert.deepEqual(json.grant_types, ['authorization_code', 'refresh_token']);
  });
});
