import type { FastifyInstance } from 'fastify';
import { badRequest } from '../errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An escaped NUL, not an escaped backslash before "u0000". PostgreSQL can't store a NUL in text. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * An unpaired surrogate, as `JSON.stringify` escapes it. It doesn't escape pairs. No database can store an unpaired
 * one.
 */
const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i;

const holdsHalfPair = (text: string, value: unknown): boolean => {
  if (!HALF_PAIR.test(text)) return false;
  try {
    return HALF_PAIR.test(JSON.stringify(value));
  } catch {
    throw badRequest('The body is nested too deeply.');
  }
};

const decode = (body: Buffer): string => {
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
};

/** Strict JSON: UTF-8, no NUL, no `__proto__`. An empty body is `{}`. */
export const useStrictJson = (server: FastifyInstance, mostBytes: number): void => {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: mostBytes },
    (request, body: Buffer, done) => {
      try {
        const text = decode(body);
        if (text.trim() === '') return done(null, {});
        if (NUL_ESCAPE.test(text)) throw badRequest('The body contains a NUL character.');
        return parseJson(request, text, (error, value) => {
          if (error) throw badRequest('The body is not valid JSON.');
          if (holdsHalfPair(text, value)) throw badRequest('The body contains an unpaired surrogate.');
          done(null, value);
        });
      } catch (error) {
        return done(error as Error);
      }
    },
  );
};
