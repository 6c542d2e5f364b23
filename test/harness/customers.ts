import assert from 'node:assert/strict';
import { HOSTED_PAGE } from '../../src/teams/index.ts';
import { SECRETS, type TestApp } from './app.ts';
import { cookieFrom } from './sessions.ts';

export const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}` };

const teamPath = (key: string): string => `/api/operator/teams/${encodeURIComponent(key)}`;

/** A customer's team, created by the operator. */
export const putCustomer = async ({ server }: Pick<TestApp, 'server'>, key: string): Promise<{ id: string }> => {
  const answer = await server.inject({
    method: 'PUT',
    url: teamPath(key),
    headers: OPERATOR,
    payload: { name: `The team of ${key}` },
  });
  assert.ok([200, 201].includes(answer.statusCode), answer.body);
  return answer.json();
};

/** The operator as an admin of that team. */
export const asCustomer = (team: string, user?: string) => ({
  headers: { ...OPERATOR, 'patchbay-team': team, ...(user === undefined ? {} : { 'patchbay-user': user }) },
});

export const createConnectSession = async (
  { server }: Pick<TestApp, 'server'>,
  team: string,
  {
    user = 'u1',
    ...options
  }: { user?: string; providers?: string[]; expiresInSeconds?: number; returnTo?: string } = {},
) => {
  const url = `${teamPath(team)}/sessions`;
  const payload = { user: { key: user }, ...options };
  const answer = await server.inject({ method: 'POST', url, headers: OPERATOR, payload });
  assert.equal(answer.statusCode, 201, answer.body);
  const { token, pageUrl, expiresAt, user: holder } = answer.json();
  const { pathname, search } = new URL(pageUrl);
  return {
    token,
    expiresAt,
    user: holder,
    page: `${pathname}${search}`,
    headers: { authorization: `Bearer ${token}` },
  };
};

export const ticketOf = (page: string): string => new URL(page, 'http://localhost').searchParams.get('ticket') ?? '';

/** Redeems a ticket, as the first page does when its button is pressed. */
export const openHostedPage = async ({ server }: Pick<TestApp, 'server'>, ticket: string) => {
  const { statusCode, headers } = await server.inject({
    method: 'POST',
    url: HOSTED_PAGE,
    payload: new URLSearchParams({ ticket }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return { statusCode, cookie: statusCode === 303 ? cookieFrom(headers['set-cookie'], 'patchbay_page') : '' };
};
