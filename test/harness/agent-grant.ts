import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Server } from '../../src/http/index.ts';
import type { User } from '../../src/teams/index.ts';
import { CALLBACK, throughTo } from './agent-clients.ts';
import { openPersonBrowser } from './agent-consent.ts';
import type { ApprovalsStage } from './approvals-stage.ts';
import { openSession } from './sessions.ts';
import { type Ask, askInjected } from './team-member.ts';

type Fields = Readonly<Record<string, string>>;

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** What keeps a code from being of use to anybody who only sees it. */
export const makeProof = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const registerClient = async (server: Server, body: object = {}) => {
  const answer = await server.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: 'Test agent', redirect_uris: [CALLBACK], ...body },
  });
  return { status: answer.statusCode, json: answer.json() };
};

/** A client by hand, which can do what no library would. */
export const createHandClient = async (server: Server, body: object = {}) => {
  const { status, json } = await registerClient(server, body);
  assert.equal(status, 201, JSON.stringify(json));
  const id: string = json.client_id;
  const proof = makeProof();

  const post = async (path: string, fields: Fields, ask: Ask = askInjected(server)) => {
    const { status, body } = await ask('POST', path, FORM, String(new URLSearchParams(fields)));
    return { status, json: body === '' ? null : JSON.parse(body) };
  };

  return {
    id,
    proof,
    address: (changes: Fields = {}): string =>
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: id,
        redirect_uri: CALLBACK,
        code_challenge: proof.challenge,
        code_challenge_method: 'S256',
        state: 's',
        resource: 'http://localhost:3000/mcp',
        ...changes,
      })}`,
    redeem: (code: string, changes: Fields = {}, to?: Ask) =>
      post(
        '/oauth/token',
        {
          ...{ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: id },
          ...{ code_verifier: proof.verifier, resource: 'http://localhost:3000/mcp', ...changes },
        },
        to,
      ),
    refresh: (token: string, changes: Fields = {}, to?: Ask) =>
      post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: id, ...changes }, to),
    revoke: (token: string) => post('/oauth/revoke', { token, client_id: id }),
  };
};

export type HandClient = Awaited<ReturnType<typeof createHandClient>>;

/** Asks for the list of tools with an access token. */
export const listTools = async (server: Server, token: string) => {
  const { statusCode } = await server.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  });
  return statusCode;
};

/** Signs a person in, whose browser then answers. */
export const openPerson = async (stage: ApprovalsStage, user: User) => {
  const { cookie } = await openSession(stage, user);
  return { cookie, ...openPersonBrowser(cookie, { send: throughTo(stage.port) }) };
};

/** A team with an admin who has let a client in. */
export const letIn = async (stage: ApprovalsStage, choice: Record<string, string> = {}) => {
  const team = await stage.connected();
  const person = await openPerson(stage, team.admin.user);
  const client = await createHandClient(stage.server);
  const back = await person.decide(client.address(), { place: 'acme-full:default', ...choice });
  const code = back.searchParams.get('code') ?? '';
  const { tokens } = (await stage.ask('GET', '/api/tokens', team.headers)).json;
  const grant = tokens.find((one: { client: string | null }) => one.client !== null);
  return { ...team, person, client, code, grant };
};
