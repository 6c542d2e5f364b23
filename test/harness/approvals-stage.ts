import assert from 'node:assert/strict';
import type { RequestOptions } from 'node:http';
import type { ApprovalDetails } from '../../src/integrations/index.ts';
import type { Engine } from '../../src/platform/index.ts';
import { openProxyStage } from './proxy-stage.ts';
import { makeToken } from './restricted-token.ts';

type Headers = Readonly<Record<string, string>>;
type Sent = RequestOptions & { body?: string | Buffer };

export const ISSUE = '{"title":"The form drops the phone number"}';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A connected provider beside the service, and restricted tokens that ask before they write. */
export const openApprovalsStage = async (
  engine: Engine,
  env: Record<string, string> = {},
  { api = {}, ...others }: { api?: Record<string, unknown>; [field: string]: unknown } = {},
) => {
  const stage = await openProxyStage(engine, api, env, others);
  const { server } = stage;

  const ask = async (method: 'GET' | 'POST', url: string, headers: Headers) => {
    const answer = await server.inject({ method, url, headers });
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.body,
      json: isJson ? answer.json() : null,
    };
  };

  const send = (headers: Headers, path = 'repos/acme/site/issues', { body = ISSUE, ...options }: Sent = {}) =>
    stage.call(stage.proxied(path), {
      method: 'POST',
      body,
      ...options,
      headers: { ...JSON_TYPE, ...headers, ...options.headers },
    });

  const decide = (verb: 'approve' | 'refuse') => (id: string, headers: Headers) =>
    ask('POST', `/api/approvals/${id}/${verb}`, headers);

  return {
    ...stage,
    /** A connected team, and a token of its admin's that may read, and asks for everything else. */
    async asking(rights: Record<string, unknown> = {}, allow: Record<string, unknown> = {}) {
      const team = await stage.connected();
      const token = await makeToken(server, team.headers, {
        allow: [{ provider: 'acme-full', connection: 'default', ...allow }],
        writes: 'ask',
        ...rights,
      });
      return { ...team, token };
    },
    ask,
    send,
    /** Sends a request that has to wait. Returns the approval's ID. */
    async park(headers: Headers, path?: string, options?: Sent): Promise<string> {
      const answer = await send(headers, path, options);
      assert.equal(answer.status, 409, answer.body);
      const { code, approval } = JSON.parse(answer.body);
      assert.equal(code, 'tokens.approval_needed');
      return approval.id;
    },
    async approval(id: string, headers: Headers): Promise<ApprovalDetails> {
      const answer = await ask('GET', `/api/approvals/${id}`, headers);
      assert.equal(answer.status, 200, answer.body);
      return answer.json;
    },
    approve: decide('approve'),
    refuse: decide('refuse'),
    respond: (id: string, headers: Headers) => ask('GET', `/api/approvals/${id}/response`, headers),
  };
};

export type ApprovalsStage = Awaited<ReturnType<typeof openApprovalsStage>>;
