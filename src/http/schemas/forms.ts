import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { badRequest } from '../errors.ts';

/** More than any of our forms needs. It's limited because strangers may send forms, too. */
const FORM_MOST_BYTES = 64 * 1024;
const MOST_FIELDS = 1_000;

/** Makes the routes of a scope accept forms, too. Refuses NUL as in JSON, because PostgreSQL can't store it in text. */
export const useForms = (scope: FastifyInstance): void => {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_MOST_BYTES },
    (_request, body, done) => {
      const text = String(body);
      if (text.includes('%00') || text.includes('\0')) return done(badRequest('The form contains a NUL character.'));
      done(null, parse(text, '&', '=', { maxKeys: MOST_FIELDS }));
    },
  );
};
