/*
 * Decodes what an OTLP exporter sends, without the code that encoded it: protobuf's wire format, and the messages of
 * opentelemetry/proto/collector/trace/v1 by their field numbers. A field that isn't here is an error, so that nothing
 * of a span goes unseen.
 */

type Wire = bigint | Buffer;

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const readVarint = (bytes: Buffer, from: number): { value: bigint; to: number } => {
  let value = 0n;
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('A number ends too early.');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, to: at + 1 };
  }
};

/** Reads the value of a field. */
const readValue = (bytes: Buffer, wire: number, from: number): { value: Wire; to: number } => {
  if (wire === WIRE.varint) return readVarint(bytes, from);
  if (wire === WIRE.fixed64) return { value: bytes.readBigUInt64LE(from), to: from + 8 };
  if (wire === WIRE.fixed32) return { value: BigInt(bytes.readUInt32LE(from)), to: from + 4 };
  if (wire !== WIRE.bytes) throw new Error(`There is no wire type ${wire} in OTLP.`);
  const { value: length, to: start } = readVarint(bytes, from);
  const to = start + Number(length);
  if (to > bytes.length) throw new Error('A field ends too early.');
  return { value: bytes.subarray(start, to), to };
};

/** Reads a message whose fields have these names. */
const readMessage = <Name extends string>(bytes: Buffer, names: Readonly<Record<number, Name>>) => {
  const fields = new Map<Name, Wire[]>();
  for (let at = 0; at < bytes.length; ) {
    const { value: tag, to: start } = readVarint(bytes, at);
    const name = names[Number(tag >> 3n)];
    if (name === undefined) throw new Error(`Field ${tag >> 3n} of a message is not expected here.`);
    const { value, to } = readValue(bytes, Number(tag & 7n), start);
    fields.set(name, [...(fields.get(name) ?? []), value]);
    at = to;
  }
  const all = (name: Name): Buffer[] => (fields.get(name) ?? []).map((value) => value as Buffer);
  return {
    all,
    has: (name: Name): boolean => fields.has(name),
    text: (name: Name): string => all(name)[0]?.toString('utf8') ?? '',
    hex: (name: Name): string => all(name)[0]?.toString('hex') ?? '',
    number: (name: Name): bigint => (fields.get(name)?.[0] as bigint | undefined) ?? 0n,
    message: (name: Name): Buffer => all(name)[0] ?? Buffer.alloc(0),
  };
};

const RESOURCE_SPANS = { 1: 'resource', 2: 'scopeSpans', 3: 'schemaUrl' } as const;
const RESOURCE = { 1: 'attributes', 2: 'dropped' } as const;
const SCOPE_SPANS = { 1: 'scope', 2: 'spans', 3: 'schemaUrl' } as const;
const SPAN = {
  1: 'traceId',
  2: 'spanId',
  3: 'traceState',
  4: 'parentSpanId',
  5: 'name',
  6: 'kind',
  7: 'start',
  8: 'end',
  9: 'attributes',
  10: 'droppedAttributes',
  11: 'events',
  12: 'droppedEvents',
  13: 'links',
  14: 'droppedLinks',
  15: 'status',
  16: 'flags',
} as const;
const KEY_VALUE = { 1: 'key', 2: 'value' } as const;
const ANY_VALUE = { 1: 'string', 2: 'bool', 3: 'int', 4: 'double' } as const;

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

type Decoded = string | number | boolean;

const toDouble = (bits: bigint): number => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return bytes.readDoubleLE();
};

const readAny = (bytes: Buffer): Decoded => {
  const value = readMessage(bytes, ANY_VALUE);
  if (value.has('bool')) return value.number('bool') === 1n;
  if (value.has('int')) return Number(BigInt.asIntN(64, value.number('int')));
  return value.has('double') ? toDouble(value.number('double')) : value.text('string');
};

const readAttributes = (pairs: readonly Buffer[]): Record<string, Decoded> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const { text, message } = readMessage(pair, KEY_VALUE);
      return [text('key'), readAny(message('value'))];
    }),
  );

const readSpan = (bytes: Buffer) => {
  const span = readMessage(bytes, SPAN);
  const status = readMessage(span.message('status'), { 2: 'message', 3: 'code' } as const);
  return {
    traceId: span.hex('traceId'),
    spanId: span.hex('spanId'),
    parentSpanId: span.hex('parentSpanId'),
    traceState: span.text('traceState'),
    name: span.text('name'),
    kind: KINDS[Number(span.number('kind'))],
    startedAt: Number(span.number('start') / 1_000_000n),
    endedAt: Number(span.number('end') / 1_000_000n),
    attributes: readAttributes(span.all('attributes')),
    events: span.all('events').length,
    links: span.all('links').length,
    dropped: Number(span.number('droppedAttributes')),
    status: STATUSES[Number(status.number('code'))],
    statusMessage: status.text('message'),
  };
};

export type DecodedSpan = ReturnType<typeof readSpan> & { resource: Record<string, Decoded> };

/** Decodes the body of one request to `/v1/traces`. */
export const decodeOtlp = (body: Buffer): DecodedSpan[] =>
  readMessage(body, { 1: 'resourceSpans' } as const)
    .all('resourceSpans')
    .flatMap((bytes) => {
      const { all, message } = readMessage(bytes, RESOURCE_SPANS);
      const resource = readAttributes(readMessage(message('resource'), RESOURCE).all('attributes'));
      return all('scopeSpans')
        .flatMap((scoped) => readMessage(scoped, SCOPE_SPANS).all('spans'))
        .map((span) => ({ ...readSpan(span), resource }));
    });
