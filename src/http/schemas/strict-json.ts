import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createEventLoopTurns, workFor } from '../../platform/index.ts';
import { LIMITS } from '../contract/limits.ts';
import { whoseWork } from '../contract/whose-work.ts';
import { badRequest, unsupportedMediaType } from '../errors.ts';

/** How long large bodies may be parsed in each turn of the event loop. */
const SHARE_MS = 4;

/**
 * How many values a body may have. They cost far more than bytes: a mebibyte of names takes 85 ms to parse, and a
 * mebibyte of one text 3 ms. No route needs more than a few hundred values.
 */
const MOST_VALUES = 10_000;
const BEFORE_VALUES = [',', '[', '{'] as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An escaped NUL, but not an escaped backslash before "u0000". PostgreSQL can't store a NUL in text. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;

/** An unpaired surrogate as `JSON.stringify` escapes it (it doesn't escape pairs). No database can store one. */
const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i;

const holdsHalfPair = (text: string, value: unknown): boolean => {
  if (!HALF_PAIR.test(text)) return false;
  try {
    return HALF_PAIR.test(JSON.stringify(value));
  } catch {
    throw badRequest('The body is nested too deeply.');
  }
};

/** Counts commas and brackets, even those within texts: telling them apart would take as long as parsing. */
const hasTooManyValues = (body: Buffer): boolean => {
  let count = 0;
  for (const mark of BEFORE_VALUES)
    for (let at = body.indexOf(mark); at !== -1 && count <= MOST_VALUES; at = body.indexOf(mark, at + 1)) count++;
  return count > MOST_VALUES;
};

const decode = (body: Buffer): string => {
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
};

/**
 * Parses JSON strictly: UTF-8, no NUL, no `__proto__`. An empty body is `{}`. Large bodies are parsed one after the
 * other, and teams take turns.
 */
export const useStrictJson = (server: FastifyInstance, mostBytes: number): void => {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  const turns = createEventLoopTurns(SHARE_MS);

  const parse = (request: FastifyRequest, body: Buffer): unknown => {
    if (body.length > MOST_VALUES && hasTooManyValues(body))
      throw badRequest(`The body has too many values. At most ${MOST_VALUES.toLocaleString('en')} are accepted.`);
    const text = decode(body);
    if (text.trim() === '') return {};
    if (NUL_ESCAPE.test(text)) throw badRequest('The body contains a NUL character.');
    let value: unknown;
    parseJson(request, text, (error, parsed) => {
      if (error) throw badRequest('The body is not valid JSON.');
      value = parsed;
    });
    if (holdsHalfPair(text, value)) throw badRequest('The body contains an unpaired surrogate.');
    return value;
  };

  server.removeContentTypeParser(['application/json', 'text/plain']);
  // `fetch` sends this type with an empty body. A body with content is refused because of its type.
  server.addContentTypeParser('text/plain', { parseAs: 'buffer', bodyLimit: mostBytes }, (_request, body, done) =>
    done(body.length === 0 ? null : unsupportedMediaType(), undefined),
  );
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: mostBytes },
    (request, body: Buffer, done) => {
      if (body.length > LIMITS.smallBytes) {
        const turn = workFor(whoseWork(request), turns.wait);
        void turn.then(() => parse(request, body)).then((value) => done(null, value), done);
        return;
      }
      try {
        done(null, parse(request, body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
};
