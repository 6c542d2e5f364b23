import type { Server } from '../../src/http/index.ts';

type Schema = Record<string, unknown>;

type Described = {
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: 'path' | 'query' | 'header'; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

type Document = { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, Schema> } };

export type Operation = {
  /** `PATCH /api/members/{id}`, as the tables of the tests name it. */
  name: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Which credential it wants: `accessToken`, an operator's door, or null for none. */
  wants: string | null;
  /** Whether a session in a browser is enough. */
  takesSession: boolean;
  pathParameters: string[];
  query: Record<string, Schema>;
  body: Schema | null;
  /** The schema of each JSON response, by status. Null if the response has no JSON. */
  answers: Record<string, Schema | null>;
};

const jsonOf = (content: Record<string, { schema: Schema }> | undefined): Schema | null =>
  content?.['application/json']?.schema ?? content?.['application/problem+json']?.schema ?? null;

const toOperation = (path: string, method: string, described: Described): Operation => {
  const { security = [], parameters = [], requestBody, responses } = described;
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Operation['method'],
    path,
    wants: Object.keys(security[0] ?? {})[0] ?? null,
    takesSession: security.some((one) => 'session' in one),
    pathParameters: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    query: Object.fromEntries(parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema])),
    body: jsonOf(requestBody?.content),
    answers: Object.fromEntries(Object.entries(responses).map(([status, { content }]) => [status, jsonOf(content)])),
  };
};

export type Operations = { operations: Operation[]; schemas: Record<string, Schema> };

export const toOperations = ({ paths, components }: Document): Operations => ({
  operations: Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => toOperation(path, method, described)),
  ),
  schemas: components.schemas,
});

/** Every documented operation of a running server, so that a new one is covered from its first day. */
export const readOperations = async (server: Server): Promise<Operations> =>
  toOperations((await server.inject('/openapi.json')).json<Document>());

/** The address of an operation, with its parameters filled in. */
export const fillPath = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`Nothing was given for {${name}} of ${path}.`);
    return encodeURIComponent(value);
  });
