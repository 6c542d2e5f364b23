const JSON_TYPE = 'application/json';

/** The part of JSON Schema that our routes use. Anything else stops the generation. */
type Schema = {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  description?: string;
};

type Content = { content?: Readonly<Record<string, { schema: Schema }>> };
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; description?: string };
type Operation = {
  summary?: string;
  security?: readonly object[];
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: Content & { required?: boolean };
  responses: Readonly<Record<string, Content>>;
};

type Webhook = { post: { requestBody: { content: { [JSON_TYPE]: { schema: Schema } } } } };

export type OpenApi = {
  webhooks: Readonly<Record<string, Webhook>>;
  components: { schemas: Readonly<Record<string, Schema>> };
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const unite = (types: readonly string[]): string => [...new Set(types)].join(' | ');
const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '');
const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
const quote = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);
const toLiteral = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

type Field = { name: string; required: boolean; type: string; description?: string | undefined };

const renderFields = (fields: readonly Field[]): string =>
  `{\n${indent(fields.map(({ name, required, type, description }) => `${comment(description)}${quote(name)}${required ? `: ${type}` : `?: ${type} | undefined`};\n`).join(''))}}`;

const renderObject = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    type: renderType(schema),
    description: schema.description,
  }));
  if (fields.length > 0) return renderFields(fields);
  if (additionalProperties === false) return 'Record<string, never>';
  return `Record<string, ${typeof additionalProperties === 'object' ? renderType(additionalProperties) : 'unknown'}>`;
};

const renderType = (schema: Schema): string => {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf) return unite(schema.anyOf.map(renderType));
  if (schema.enum) return unite(schema.enum.map(toLiteral));
  if (schema.const !== undefined) return toLiteral(schema.const);
  if (schema.type === 'array') return `Array<${renderType(schema.items ?? {})}>`;
  if (schema.type === 'object') return renderObject(schema);
  if (schema.type === undefined && Object.keys(schema).every((key) => key === 'description')) return 'unknown';
  const plain = PLAIN[schema.type ?? ''];
  if (!plain) throw new Error(`The client's types can't express ${JSON.stringify(schema)} yet.`);
  return plain;
};

/** Renders the type of a successful response. Null if it isn't JSON. */
const renderResponse = ({ responses }: Operation): string | null => {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.map(([status, { content }]) => {
    const schema = content?.[JSON_TYPE]?.schema;
    return status === '204' ? 'undefined' : schema ? renderType(schema) : null;
  });
  return types.length === 0 || types.includes(null) ? null : unite(types.filter((type) => type !== null));
};

const renderOperation = (name: string, operation: Operation): string => {
  const response = renderResponse(operation);
  const takesToken = operation.security?.some((way) => 'accessToken' in way || 'operator' in way);
  if (response === null || !takesToken) return '';
  const query = (operation.parameters ?? []).flatMap((parameter) =>
    'in' in parameter && parameter.in === 'query'
      ? [{ ...parameter, required: parameter.required === true, type: renderType(parameter.schema) }]
      : [],
  );
  const body = operation.requestBody?.content?.[JSON_TYPE]?.schema;
  const fields = [
    ...(query.length > 0
      ? [{ name: 'query', required: query.some((one) => one.required), type: renderFields(query) }]
      : []),
    ...(body ? [{ name: 'body', required: operation.requestBody?.required === true, type: renderType(body) }] : []),
    { name: 'response', required: true, type: response },
  ];
  return `${comment(operation.summary)}'${name}': ${renderFields(fields)};\n`;
};

/** Renders the types of all operations that accept a token, and of all events, for the client. */
export const renderOperations = ({ webhooks, components, paths }: OpenApi): string => {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${renderType(schema)};\n`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(`${method.toUpperCase()} ${path}`, operation)),
  );
  const events = Object.values(webhooks).map(({ post }) => renderType(post.requestBody.content[JSON_TYPE].schema));
  return `// Generated from openapi.json by "npm run generate".\n\n${schemas.join('\n')}\nexport type SentEvent = ${unite(events)};\n\nexport type Operations = {\n${indent(operations.join(''))}};\n`;
};
