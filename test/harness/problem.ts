import assert from 'node:assert/strict';

/** A response, however it was fetched. */
export type Answer = { status: number; headers: Readonly<Record<string, string>>; body: string };

type Injected = { statusCode: number; headers: Readonly<Record<string, unknown>>; body: string };

export const toAnswer = ({ statusCode, headers, body }: Injected): Answer => ({
  status: statusCode,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body,
});

/** What a stack, an SQL error or a path of the server looks like. */
const GIVEAWAY =
  /\bat [\w.<>]+ \(|node_modules|node:internal|\/src\/|\.ts:\d|\.js:\d|\bselect\s.+\sfrom\b|\binsert into\b|SQLITE_|SqliteError|errcode|\bsyntax error at\b|\bECONN|FST_ERR/i;

const FIELDS = ['type', 'title', 'status', 'code', 'detail', 'requestId'];

export type Problem = {
  status: number;
  code: string;
  detail: string;
  requestId: string;
  errors?: { path: string; message: string }[];
};

/** What some problems say besides. */
const MORE = ['errors', 'connections'];

/** The headers that every response has. */
export const expectHouseHeaders = ({ headers }: Answer, what: string): void => {
  assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/, `${what}: X-Request-Id`);
  assert.match(headers['patchbay-version'] ?? '', /^\d{4}-\d\d-\d\d$/, `${what}: Patchbay-Version`);
};

/** Checks everything about a refusal. Returns the parsed problem. */
export const expectProblem = (answer: Answer, status: number | readonly number[], what: string): Problem => {
  const { headers, body } = answer;
  assert.ok([status].flat().includes(answer.status), `${what}: answered ${answer.status} ${body.slice(0, 300)}`);
  assert.match(
    headers['content-type'] ?? '',
    /^application\/problem\+json(?:; charset=utf-8)?$/,
    `${what}: Content-Type`,
  );
  assert.equal(headers['cache-control'], 'no-store', `${what}: Cache-Control`);
  expectHouseHeaders(answer, what);
  const problem = JSON.parse(body);
  const known = Object.keys(problem).filter((field) => !MORE.includes(field));
  assert.deepEqual(known, FIELDS, `${what}: fields`);
  assert.equal(problem.status, answer.status, `${what}: status in the body`);
  assert.equal(problem.requestId, headers['x-request-id'], `${what}: request id`);
  assert.match(problem.code, /^[a-z_]+\.[a-z_]+$/, `${what}: code`);
  for (const field of ['type', 'title', 'detail']) assert.ok(problem[field], `${what}: ${field} is empty`);
  if (answer.status === 429 || answer.status === 503) assert.match(headers['retry-after'] ?? '', /^\d+$/, what);
  assert.doesNotMatch(body, GIVEAWAY, what);
  return problem;
};

/** Two responses that say the same: everything except the request id. */
export const withoutRequestId = ({ status, headers, body }: Answer): unknown => {
  const { 'x-request-id': id = '', date: _, ...rest } = headers;
  return { status, headers: rest, body: body.replaceAll(id, '…') };
};
