import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';

const NOTHING = fromJsonSchema<object>({ type: 'object', properties: {} });
/** An image of one pixel, and a sound without samples. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const AUDIO = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: IMAGE, mimeType: 'image/png' };

const CONTENTS = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio' as const, data: AUDIO, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    {
      type: 'resource' as const,
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource' as const,
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ],
};

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools that the conformance suite calls, to see what a handler makes of each kind of content. */
export const addFixtureTools = (server: McpServer): void => {
  for (const [name, content] of Object.entries(CONTENTS))
    server.registerTool(name, { description: name, inputSchema: NOTHING }, () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Fails', inputSchema: NOTHING }, () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }));
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress', inputSchema: NOTHING },
    async (_input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100])
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      return { content: [text('done')] };
    },
  );
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a schema', inputSchema: fromJsonSchema<object>(SCHEMA_2020_12 as never) },
    () => ({ content: [text('ok')] }),
  );
};
